import { Client } from "@kubewright/client";
import { Event as CoreEvents, Pod } from "@kubewright/client/kinds";
import { Environment } from "@kubewright/envtest";
import { EventBroadcaster, eventFieldSelector } from "@kubewright/recorder";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { broadcasting, node, pod, referenceTo } from "./kept-events.ts";

const pulled = { reason: "Pulled", note: "image pulled", action: "Pull" };
const api = "events.k8s.io/v1";

describe("events of events.k8s.io/v1", () => {
  it("EV-026 name both objects, the action, the reporter and the time", async () => {
    const { clock, sink, recorder, broadcaster } = broadcasting(api);
    recorder.event(pod(), { ...pulled, related: pod("web-1"), type: "Warning" });
    recorder.event(node(), pulled);
    await clock.advance(0);
    expect(sink.all[0]).toEqual({
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      metadata: { name: expect.stringMatching(/^web-0\.[0-9a-f]+$/), namespace: "shop" },
      regarding: referenceTo(pod()),
      related: referenceTo(pod("web-1")),
      action: "Pull",
      reason: "Pulled",
      note: "image pulled",
      type: "Warning",
      reportingController: "shopkeeper",
      reportingInstance: "shopkeeper-node-1",
      eventTime: "2026-01-01T00:00:00.000000Z",
    });
    expect(sink.all[1]).toMatchObject({ metadata: { namespace: "default" }, regarding: { name: "n1" } });
    expect(sink.all[1]).not.toHaveProperty("related");
    await broadcaster.stop();
  });

  it.each(["2001:db8::123", "a".repeat(1_012)])(
    "EV-027 have a random name if %s does not provide one",
    async (name) => {
      const { clock, sink, recorder, broadcaster } = broadcasting(api);
      recorder.event(pod(name), pulled);
      await clock.advance(0);
      expect(sink.calls[0]?.name).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      await broadcaster.stop();
    },
  );

  it("EV-028 become a series if only the note differs", async () => {
    const { clock, sink, recorder, broadcaster } = broadcasting(api);
    recorder.event(pod(), pulled);
    await clock.advance(1_000);
    recorder.event(pod(), { ...pulled, note: "again" });
    await clock.advance(0);
    expect(sink.verbs).toEqual(["create", "patch"]);
    expect(sink.all).toMatchObject([
      { note: "image pulled", series: { count: 2, lastObservedTime: "2026-01-01T00:00:01.000000Z" } },
    ]);
    await broadcaster.stop();
  });

  it.each([
    { action: "Other" },
    { reason: "Other" },
    { type: "Warning" as const },
    { related: pod("web-1") },
    { fieldPath: "spec.containers{web}" },
  ])("EV-028 are separate if this differs: %o", async (change) => {
    const { clock, sink, recorder, broadcaster } = broadcasting(api);
    recorder.event(pod(), pulled);
    recorder.event(pod(), { ...pulled, ...change });
    broadcaster.recorder("another").event(pod(), pulled);
    await clock.advance(0);
    expect(sink.verbs).toEqual(["create", "create", "create"]);
    await broadcaster.stop();
  });

  it("EV-030 are written a last time after six minutes without repetition; a recent one is kept", async () => {
    const { clock, sink, recorder, broadcaster } = broadcasting(api);
    for (let i = 0; i < 4; i++) recorder.event(pod(), pulled);
    await clock.advance(6 * 60_000);
    recorder.event(pod("recent"), pulled);
    await clock.advance(6 * 60_000);
    expect(sink.calls.at(-1)).toMatchObject({ verb: "patch", body: { series: { count: 4 } } });
    sink.calls.length = 0;
    recorder.event(pod(), pulled);
    recorder.event(pod("recent"), pulled);
    await clock.advance(0);
    expect(sink.verbs).toEqual(["create", "patch"]);
    await broadcaster.stop();
  });

  it("EV-031 are created with their series if the series cannot be patched because it is gone", async () => {
    const { clock, sink, recorder, broadcaster } = broadcasting(api);
    recorder.event(pod(), pulled);
    await clock.advance(0);
    sink.stored.clear();
    recorder.event(pod(), pulled);
    await clock.advance(0);
    expect(sink.verbs).toEqual(["create", "patch", "create"]);
    expect(sink.all).toMatchObject([{ series: { count: 2 } }]);
    await broadcaster.stop();
  });

  it("EV-031 become one with a series if the first is written late", async () => {
    const { clock, sink, recorder, broadcaster } = broadcasting(api);
    sink.fail = () => (sink.calls.length < 3 ? new Error("connection refused") : undefined);
    recorder.event(pod(), pulled);
    await clock.advance(0);
    recorder.event(pod(), pulled);
    await clock.advance(60_000);
    expect(sink.all).toMatchObject([{ series: { count: 2 } }]);
    await broadcaster.stop();
  });

  it("EV-031 become one with a series if somebody stores the event between the patch and the creation", async () => {
    const { clock, sink, recorder, broadcaster } = broadcasting(api);
    recorder.event(pod(), pulled);
    await clock.advance(0);
    const [stored] = sink.stored;
    sink.stored.clear();
    sink.fail = ({ verb }) => {
      if (verb === "create" && stored) sink.stored.set(...stored);
      return undefined;
    };
    recorder.event(pod(), pulled);
    await clock.advance(60_000);
    expect(sink.all).toMatchObject([{ series: { count: 2 } }]);
    await broadcaster.stop();
  });
});

describe("events at a server", () => {
  let env: Environment;
  let client: Client;
  beforeAll(async () => {
    env = await Environment.start();
    client = new Client({ connection: env.connection() });
  });
  afterAll(async () => {
    await client?.close();
    await env?.stop();
  });
  const inNewPod = async (name: string): Promise<Pod> =>
    client.create(Pod, {
      metadata: { name, namespace: "default" },
      spec: { containers: [{ name: "web", image: "nginx" }] },
    });
  const eventsOf = (name: string) =>
    client.list(CoreEvents, { namespace: "default", fields: { "involvedObject.name": name } });

  it("EV-029 become one with a series if two equal ones occur in quick succession", async () => {
    const broadcaster = new EventBroadcaster({ sink: client, api });
    const web = await inNewPod("quick");
    const recorder = broadcaster.recorder("shopkeeper");
    recorder.event(web, pulled);
    recorder.event(web, pulled);
    await broadcaster.stop();
    expect(await eventsOf("quick")).toMatchObject([{ series: { count: 2 } }]);
  });

  it.each(["v1", api] as const)("EV-035 EV-036 are published, with reference and annotations: %s", async (version) => {
    const broadcaster = new EventBroadcaster({ sink: client, api: version });
    const name = `published-${version === "v1" ? "core" : "series"}`;
    const web = await inNewPod(name);
    broadcaster.recorder("shopkeeper").event(web, { ...pulled, annotations: { "shop/by": "hand" } });
    await broadcaster.stop();
    expect(await eventsOf(name)).toMatchObject([
      {
        involvedObject: { apiVersion: "v1", kind: "Pod", name, namespace: "default", uid: web.metadata.uid },
        metadata: { annotations: { "shop/by": "hand" } },
        message: "image pulled",
        reportingComponent: "shopkeeper",
        ...(version === api ? { action: "Pull" } : {}),
      },
    ]);
  });

  it("EV-033 can be selected by the object they are about", async () => {
    const broadcaster = new EventBroadcaster({ sink: client, api });
    const [web, other] = [await inNewPod("selected"), await inNewPod("not-selected")];
    for (const about of [web, other]) broadcaster.recorder("shopkeeper").event(about, pulled);
    await broadcaster.stop();
    const { apiVersion, kind, metadata } = web;
    const regarding = { apiVersion, kind, name: metadata.name, uid: metadata.uid };
    const fields = eventFieldSelector("v1", regarding);
    expect(await client.list(CoreEvents, { namespace: "default", fields })).toMatchObject([
      { involvedObject: { name: "selected" } },
    ]);
  });
});

describe("a field selector of events", () => {
  const regarding = { apiVersion: "apps/v1", kind: "Deployment", name: "web", uid: "u" };
  it.each([
    ["v1", "involvedObject"],
    ["events.k8s.io/v1", "regarding"],
    ["events.k8s.io/v1beta1", "regarding"],
  ])("EV-033 of %s requests %s", (version, field) => {
    expect(eventFieldSelector(version, regarding)).toEqual({
      [`${field}.apiVersion`]: "apps/v1",
      [`${field}.kind`]: "Deployment",
      [`${field}.name`]: "web",
      [`${field}.uid`]: "u",
    });
  });

  it("EV-033 omits empty values, and fails for an unknown version", () => {
    expect(eventFieldSelector("v1", { name: "web", kind: "" })).toEqual({ "involvedObject.name": "web" });
    expect(() => eventFieldSelector("events.k8s.io/v2", regarding)).toThrow("unknown version events.k8s.io/v2");
  });
});
