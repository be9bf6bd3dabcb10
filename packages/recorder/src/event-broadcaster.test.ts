import { notFound, StatusError } from "@kubewright/apimachinery";
import { FakeClock } from "@kubewright/clock/testing";
import { silentLogger } from "@kubewright/log";
import { describe, expect, it } from "vitest";
import { EventBroadcaster } from "./event-broadcaster.ts";
import type { EventSink } from "./event-style.ts";

type Call = { readonly verb: "create" | "patch"; readonly name: string; readonly body: Record<string, unknown> };

/** Name and fields of a written event. */
function noted(object: unknown): { name: string; body: Record<string, unknown> } {
  const body: Record<string, unknown> = JSON.parse(JSON.stringify(object));
  const { metadata = {} } = body;
  return { name: typeof metadata === "object" && metadata && "name" in metadata ? String(metadata.name) : "", body };
}

class FakeSink implements EventSink {
  readonly calls: Call[] = [];
  fail: (call: Call) => Error | undefined = () => undefined;

  create: EventSink["create"] = async (_kind, object) => {
    this.#note({ verb: "create", ...noted(object) });
    return object as never;
  };

  patch: EventSink["patch"] = async (_kind, target, patch) => {
    const name = typeof target === "object" && "name" in target ? target.name : "";
    this.#note({ verb: "patch", name, body: Object.fromEntries(Object.entries(patch)) });
    return patch as never;
  };

  #note(call: Call): void {
    this.calls.push(call);
    const error = this.fail(call);
    if (error) throw error;
  }
}

const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "web-0", namespace: "shop", uid: "u1" } };

const start = (api: "events.k8s.io/v1" | "v1" = "events.k8s.io/v1") => {
  const clock = new FakeClock();
  const sink = new FakeSink();
  const broadcaster = new EventBroadcaster({ sink, clock, api, host: "node-1" });
  return { clock, sink, broadcaster, recorder: broadcaster.recorder("shopkeeper") };
};

describe("EventBroadcaster with events.k8s.io/v1", () => {
  it("writes an event with reference, reporter and times", async () => {
    const { clock, sink, recorder, broadcaster } = start();
    recorder.event(pod, { reason: "Started", note: "it runs", action: "Start", annotations: { a: "b" } });
    await clock.advance(0);
    expect(sink.calls).toHaveLength(1);
    expect(sink.calls[0]?.name).toMatch(/^web-0\.[0-9a-f]+$/);
    expect(sink.calls[0]?.body).toMatchObject({
      metadata: { namespace: "shop", annotations: { a: "b" } },
      regarding: { apiVersion: "v1", kind: "Pod", name: "web-0", namespace: "shop", uid: "u1" },
      reportingController: "shopkeeper",
      reportingInstance: "shopkeeper-node-1",
      eventTime: "2026-01-01T00:00:00.000000Z",
      type: "Normal",
      action: "Start",
      note: "it runs",
    });
    await broadcaster.stop();
  });

  it("names events by their times, differently within a millisecond, and as another recorder that starts at the same time", async () => {
    const names = async () => {
      const { clock, sink, recorder, broadcaster } = start();
      for (const reason of ["A", "B"]) recorder.event(pod, { reason, note: "" });
      await clock.advance(1);
      recorder.event(pod, { reason: "C", note: "" });
      await clock.advance(1);
      await broadcaster.stop();
      return sink.calls.map(
        ({ name }) => BigInt(`0x${name.slice("web-0.".length)}`) - BigInt(Date.UTC(2026, 0, 1)) * 1_000_000n,
      );
    };
    expect(await names()).toEqual([0n, 1n, 1_000_000n]);
    expect(await names()).toEqual([0n, 1n, 1_000_000n]);
  });

  it("truncates texts that the API would refuse, without splitting a character", async () => {
    const { clock, sink, recorder, broadcaster } = start();
    recorder.event(pod, { reason: "R".repeat(128), note: "n".repeat(1_024), action: "A".repeat(128) });
    recorder.event(pod, { reason: "R".repeat(129), note: "n".repeat(1_025), action: "A".repeat(129) });
    recorder.event(pod, { reason: "Wide", note: "é".repeat(513) });
    recorder.event(pod, { reason: "Astral", note: "🚀".repeat(300) });
    broadcaster.recorder("c".repeat(130)).event(pod, { reason: "Long", note: "" });
    await clock.advance(0);
    const bodies = sink.calls.map(({ body }) => body);
    expect(bodies[0]).toMatchObject({ reason: "R".repeat(128), note: "n".repeat(1_024), action: "A".repeat(128) });
    expect(bodies[1]).toMatchObject({
      reason: `${"R".repeat(125)}...`,
      note: `${"n".repeat(1_021)}...`,
      action: `${"A".repeat(125)}...`,
    });
    expect(bodies[2]?.note).toBe(`${"é".repeat(510)}...`);
    expect(bodies[3]?.note).toBe(`${"🚀".repeat(255)}...`);
    expect(bodies[4]?.reportingInstance).toBe(`${"c".repeat(125)}...`);
    await broadcaster.stop();
  });

  it("makes a series of the second equal event, and a new event of another action", async () => {
    const { clock, sink, recorder, broadcaster } = start();
    recorder.event(pod, { reason: "Pulled", note: "one" });
    recorder.event(pod, { reason: "Pulled", note: "two" });
    recorder.event(pod, { reason: "Pulled", note: "one", action: "Other" });
    await clock.advance(0);
    expect(sink.calls.map((call) => call.verb).sort()).toEqual(["create", "create", "patch"]);
    expect(sink.calls.find((call) => call.verb === "patch")?.body).toMatchObject({ series: { count: 2 } });
    await broadcaster.stop();
  });

  it("writes a series a last time when it has been quiet for six minutes", async () => {
    const { clock, sink, recorder, broadcaster } = start();
    for (let i = 0; i < 4; i++) recorder.event(pod, { reason: "Pulled", note: "n" });
    await clock.advance(13 * 60_000);
    expect(sink.calls.at(-1)).toMatchObject({ verb: "patch", body: { series: { count: 4 } } });
    recorder.event(pod, { reason: "Pulled", note: "n" });
    await clock.advance(0);
    expect(sink.calls.at(-1)?.verb).toBe("create");
    await broadcaster.stop();
  });

  it("creates the event again if its series cannot be patched because it was deleted", async () => {
    const { clock, sink, recorder, broadcaster } = start();
    recorder.event(pod, { reason: "Pulled", note: "n" });
    await clock.advance(0);
    sink.fail = (call) =>
      call.verb === "patch" ? notFound({ group: "events.k8s.io", resource: "events" }, call.name) : undefined;
    recorder.event(pod, { reason: "Pulled", note: "n" });
    await clock.advance(0);
    expect(sink.calls.map((call) => call.verb)).toEqual(["create", "patch", "create"]);
    await broadcaster.stop();
  });

  it("puts events about cluster-scoped objects into the namespace default", async () => {
    const { clock, sink, recorder, broadcaster } = start();
    recorder.event({ apiVersion: "v1", kind: "Node", metadata: { name: "n:1" } }, { reason: "Up", note: "" });
    await clock.advance(0);
    expect(sink.calls[0]?.body).toMatchObject({ metadata: { namespace: "default" }, regarding: { name: "n:1" } });
    expect(sink.calls[0]?.name).toMatch(/^[0-9a-f-]{36}$/);
    await broadcaster.stop();
  });
});

describe("EventBroadcaster's retries", () => {
  it("tries twelve times when the network fails", async () => {
    const { clock, sink, recorder, broadcaster } = start();
    sink.fail = () => new Error("connection refused");
    recorder.event(pod, { reason: "Started", note: "n" });
    await clock.advance(12 * 12_500);
    expect(sink.calls).toHaveLength(12);
    await broadcaster.stop();
  });

  it("treats a refusal by the server as final", async () => {
    const { clock, sink, recorder, broadcaster } = start();
    sink.fail = () =>
      new StatusError({ kind: "Status", apiVersion: "v1", metadata: {}, code: 403, reason: "Forbidden" });
    recorder.event(pod, { reason: "Started", note: "n" });
    await clock.advance(60_000);
    expect(sink.calls).toHaveLength(1);
    await broadcaster.stop();
  });

  it("logs a refusal as an error, except in a terminating namespace", async () => {
    const clock = new FakeClock();
    const sink = new FakeSink();
    const levels: string[] = [];
    const note =
      (level: string) =>
      (...args: unknown[]): void => {
        if (String(args.at(-1)).startsWith("server rejected event")) levels.push(level);
      };
    const logger = { ...silentLogger, debug: note("debug"), error: note("error") };
    const broadcaster = new EventBroadcaster({ sink, clock, logger, host: "node-1" });
    const refusal = (...causes: { reason: string }[]) =>
      new StatusError({
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        code: 403,
        reason: "Forbidden",
        details: { causes },
      });
    for (const error of [refusal(), refusal({ reason: "NamespaceTerminating" })]) {
      sink.fail = () => error;
      broadcaster
        .recorder("shopkeeper")
        .event(
          { ...pod, metadata: { ...pod.metadata, name: `web-${levels.length}` } },
          { reason: "Started", note: "n" },
        );
      await clock.advance(1_000);
    }
    expect(levels).toEqual(["error", "debug"]);
    await broadcaster.stop();
  });

  it("does not wait between tries once it is stopped, and then records nothing more", async () => {
    const { clock, sink, recorder, broadcaster } = start();
    sink.fail = () => new Error("connection refused");
    recorder.event(pod, { reason: "Started", note: "n" });
    await clock.advance(0);
    await broadcaster.stop();
    expect(sink.calls.length).toBeLessThanOrEqual(2);
    recorder.event(pod, { reason: "Stopped", note: "n" });
    await clock.advance(60_000);
    expect(sink.calls.length).toBeLessThanOrEqual(2);
    expect(clock.waiting).toBe(0);
  });

  it("drops events about invalid objects, without an error", async () => {
    const { clock, sink, recorder, broadcaster } = start();
    recorder.event({ apiVersion: "", kind: "", metadata: { name: "x" } }, { reason: "R", note: "n" });
    await clock.advance(0);
    expect(sink.calls).toEqual([]);
    await broadcaster.stop();
  });
});

describe("EventBroadcaster with core v1", () => {
  it("raises the count of a repeated event", async () => {
    const { clock, sink, recorder, broadcaster } = start("v1");
    for (let i = 0; i < 3; i++) {
      recorder.event(pod, { reason: "Pulled", note: "same" });
      await clock.advance(1_000);
    }
    expect(sink.calls.map(({ verb, body }) => [verb, body.count])).toEqual([
      ["create", 1],
      ["patch", 2],
      ["patch", 3],
    ]);
    expect(new Set(sink.calls.map((call) => call.name)).size).toBe(1);
    await broadcaster.stop();
  });

  it("skips events about one object after a burst of 25", async () => {
    const { clock, sink, recorder, broadcaster } = start("v1");
    for (let i = 0; i < 30; i++) recorder.event(pod, { reason: "Pulled", note: "same" });
    await clock.advance(0);
    expect(sink.calls).toHaveLength(25);
    await clock.advance(300_000);
    recorder.event(pod, { reason: "Pulled", note: "same" });
    await clock.advance(0);
    expect(sink.calls).toHaveLength(26);
    await broadcaster.stop();
  });

  it("combines similar events from the tenth message on", async () => {
    const { clock, sink, recorder, broadcaster } = start("v1");
    for (let i = 1; i <= 11; i++) {
      recorder.event(pod, { reason: "Pulled", note: `image ${i}` });
      await clock.advance(1_000);
    }
    expect(sink.calls[8]?.body).toMatchObject({ message: "image 9", count: 1 });
    expect(sink.calls[9]?.body).toMatchObject({ message: "(combined from similar events): image 10", count: 1 });
    expect(sink.calls[10]).toMatchObject({ verb: "patch", body: { count: 2 } });
    await broadcaster.stop();
  });
});
