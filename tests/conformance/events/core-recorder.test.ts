import { describe, expect, it } from "vitest";
import { broadcasting, node, pod, referenceTo } from "./kept-events.ts";

const pulled = { reason: "Pulled", note: "image pulled" };

describe("a recorder of core events", () => {
  it("EV-001 EV-038 contains object, reporter and times", async () => {
    const { clock, sink, recorder, broadcaster } = broadcasting("v1");
    recorder.event(pod(), { ...pulled, type: "Warning", fieldPath: "spec.containers{web}" });
    await clock.advance(0);
    expect(sink.all).toEqual([
      {
        apiVersion: "v1",
        kind: "Event",
        metadata: { name: expect.stringMatching(/^web-0\.[0-9a-f]{14,16}$/), namespace: "shop" },
        involvedObject: { ...referenceTo(pod()), fieldPath: "spec.containers{web}" },
        reason: "Pulled",
        message: "image pulled",
        source: { component: "shopkeeper" },
        reportingComponent: "shopkeeper",
        reportingInstance: "",
        count: 1,
        firstTimestamp: "2026-01-01T00:00:00Z",
        lastTimestamp: "2026-01-01T00:00:00Z",
        type: "Warning",
      },
    ]);
    await broadcaster.stop();
  });

  it("EV-002 writes Events about cluster-scoped objects into default, and refers to them without a namespace", async () => {
    const { clock, sink, recorder, broadcaster } = broadcasting("v1");
    recorder.event(node(), pulled);
    await clock.advance(0);
    expect(sink.all).toMatchObject([{ metadata: { namespace: "default" } }]);
    expect(sink.all[0]?.involvedObject).toEqual({ apiVersion: "v1", kind: "Node", name: "n1" });
    await broadcaster.stop();
  });

  it("EV-003 patches the existing Event of a repetition", async () => {
    const { clock, sink, recorder, broadcaster } = broadcasting("v1");
    for (let i = 0; i < 3; i++) {
      recorder.event(pod(), pulled);
      await clock.advance(1_000);
    }
    expect(sink.verbs).toEqual(["create", "patch", "patch"]);
    expect(sink.all).toMatchObject([
      { count: 3, firstTimestamp: "2026-01-01T00:00:00Z", lastTimestamp: "2026-01-01T00:00:02Z" },
    ]);
    await broadcaster.stop();
  });

  it.each(["2001:db8::123", "a".repeat(253), "-a"])(
    "EV-004 uses a random name if %s does not provide one",
    async (name) => {
      const { clock, sink, recorder, broadcaster } = broadcasting("v1");
      recorder.event(pod(name), pulled);
      await clock.advance(0);
      expect(sink.calls[0]?.name).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      expect(sink.all).toMatchObject([{ involvedObject: { name } }]);
      await broadcaster.stop();
    },
  );

  it("EV-005 logs and drops invalid types, and objects that cannot be referred to", async () => {
    const { clock, sink, lines, recorder, broadcaster } = broadcasting("v1");
    recorder.event(pod(), { ...pulled, type: "Odd" as "Normal" });
    recorder.event({ apiVersion: "", kind: "", metadata: { name: "x" } }, pulled);
    await clock.advance(0);
    expect(sink.calls).toEqual([]);
    expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
      ["error", "could not construct event"],
      ["error", "could not construct event"],
    ]);
    await broadcaster.stop();
  });

  it.each(["v1", "events.k8s.io/v1"] as const)("EV-005 EV-032 drops Events if 1000 are waiting: %s", async (api) => {
    const { clock, sink, lines, recorder, broadcaster } = broadcasting(api);
    const { promise, resolve } = Promise.withResolvers<void>();
    sink.fail = () => promise;
    for (let i = 0; i < 1_009; i++) recorder.event(pod(`p-${i}`), pulled);
    await clock.advance(0);
    expect(sink.calls).toHaveLength(8);
    expect(lines.filter(({ level }) => level === "warn").map(({ msg }) => msg)).toEqual([
      "dropped an event because too many events are waiting to be written",
    ]);
    resolve();
    await clock.advance(1_000);
    expect(sink.stored.size).toBe(1_008);
    await broadcaster.stop();
  });

  it("EV-006 logs each Event once, also while it is written", async () => {
    const { clock, sink, lines, recorder, broadcaster } = broadcasting("v1");
    for (let i = 0; i < 3; i++) recorder.event(pod(), pulled);
    await clock.advance(0);
    expect(lines.filter(({ msg }) => msg === "event")).toMatchObject(
      [1, 2, 3].map(() => ({ type: "Normal", reason: "Pulled", object: { name: "web-0", namespace: "shop" } })),
    );
    expect(sink.calls).toHaveLength(3);
    await broadcaster.stop();
  });
});
