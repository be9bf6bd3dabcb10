import { FakeClock } from "@kubewright/clock/testing";
import { type CoreEvent, type CorrelatorOptions, EventCorrelator } from "@kubewright/recorder";
import { describe, expect, it } from "vitest";

type Change = Partial<CoreEvent["involvedObject"]> & Partial<Pick<CoreEvent, "reason" | "message">>;
let names = 0;
const event = ({ reason = "Pulled", message = "m", ...involved }: Change = {}): CoreEvent => ({
  apiVersion: "v1",
  kind: "Event",
  metadata: { name: `e-${++names}`, namespace: "shop" },
  involvedObject: { apiVersion: "v1", kind: "Pod", name: "web-0", namespace: "shop", uid: "u", ...involved },
  reason,
  message,
  source: { component: "shopkeeper" },
  count: 1,
  type: "Normal",
});

/** Sends events one second apart. Returns the result of each: `skipped`, or its count and message. */
function correlating(options: Partial<CorrelatorOptions> = {}) {
  const clock = new FakeClock();
  const correlator = new EventCorrelator({ clock, ...options });
  const keys: string[] = [];
  const send = async (
    ...changes: Change[]
  ): Promise<(string | readonly [number | undefined, string | undefined])[]> => {
    const results = [];
    for (const change of changes) {
      const correlated = correlator.correlate(event(change));
      if (!correlated.skip) keys.push(correlated.key);
      results.push(correlated.skip ? "skipped" : ([correlated.event.count, correlated.event.message] as const));
      await clock.advance(1_000);
    }
    return results;
  };
  return { clock, send, keys };
}
const times = (count: number, change: (i: number) => Change): Change[] =>
  Array.from({ length: count }, (_, i) => change(i));
const combined = "(combined from similar events): ";

describe("correlation", () => {
  it("EV-007 remembers 4096 events", async () => {
    const { send } = correlating();
    await send({ uid: "first" });
    await send(...times(4_095, (i) => ({ uid: `other-${i}` })));
    expect(await send({ uid: "first" })).toEqual([[2, "m"]]);
    await send(...times(4_096, (i) => ({ uid: `more-${i}` })));
    expect(await send({ uid: "first" })).toEqual([[1, "m"]]);
  });

  it("EV-007 combines 10 similar events less than 600 s apart", async () => {
    const { send, clock } = correlating();
    await send(...times(9, (i) => ({ message: `m${i}` })));
    await clock.advance(600_000);
    expect(await send({ message: "m9" })).toEqual([[1, "m9"]]);
  });

  it("EV-007 passes 25 events about an object, then one per 300 s", async () => {
    const { send, clock } = correlating();
    const sent = await send(...times(26, () => ({})));
    expect(sent.indexOf("skipped")).toBe(25);
    await clock.advance(300_000 - 26_000 - 1_000);
    expect(await send({})).toEqual(["skipped"]);
    expect(await send({})).toEqual([[expect.any(Number), "m"]]);
  });

  it("EV-007 accepts other numbers", async () => {
    const spam = correlating({ burst: 1, refillMs: 5_000 });
    expect(await spam.send({}, {}, {}, {}, {}, {})).toEqual([
      [1, "m"],
      ...["skipped", "skipped", "skipped", "skipped"],
      [6, "m"],
    ]);
    const similar = correlating({ maxSimilar: 2, similarWithinMs: 1_500, cacheSize: 1 });
    expect(await similar.send({ message: "a" }, { message: "b" })).toEqual([
      [1, "a"],
      [1, `${combined}b`],
    ]);
    await similar.clock.advance(1_000);
    expect(await similar.send({ message: "c" })).toEqual([[1, "c"]]);
  });

  it("EV-008 groups events that differ only in the message, and distinguishes them within the group", async () => {
    const { send, keys } = correlating({ maxSimilar: 3 });
    await send({ message: "a" }, { message: "b" });
    expect(keys[0]).not.toBe(keys[1]);
    const other = await send({ message: "c", reason: "Other" });
    expect(other).toEqual([[1, "c"]]);
    expect(await send({ message: "c" })).toEqual([[1, `${combined}c`]]);
  });

  it("EV-009 marks a combined event in its message", async () => {
    const { send } = correlating({ maxSimilar: 1 });
    expect(await send({ message: "image pulled" })).toEqual([[1, "(combined from similar events): image pulled"]]);
  });

  it("EV-010 EV-011 passes a first event, and counts a second one that is equal", async () => {
    const { send } = correlating();
    expect(await send({})).toEqual([[1, "m"]]);
    expect(await send({})).toEqual([[2, "m"]]);
  });

  it("EV-012 skips an equal event if it is too frequent", async () => {
    const { send } = correlating();
    const sent = await send(...times(25, () => ({})));
    expect(sent).not.toContain("skipped");
    expect(await send({})).toEqual(["skipped"]);
  });

  it("EV-013 distinguishes events about 30 objects", async () => {
    const { send } = correlating();
    const sent = await send(...times(30, (i) => ({ name: `web-${i}`, uid: `u-${i}` })));
    expect(sent).toEqual(times(30, () => ({})).map(() => [1, "m"]));
  });

  it("EV-014 EV-015 combines the 10th message of a group, and counts the 11th to it", async () => {
    const { send } = correlating();
    const sent = await send(...times(11, (i) => ({ message: `m${i + 1}` })));
    expect(sent.slice(8)).toEqual([
      [1, "m9"],
      [1, `${combined}m10`],
      [2, `${combined}m11`],
    ]);
  });

  it("EV-016 does not combine events about different containers", async () => {
    const { send } = correlating();
    const sent = await send(...times(15, (i) => ({ message: `m${i}`, fieldPath: `spec.containers{c${i}}` })));
    expect(sent).toEqual(times(15, () => ({})).map((_, i) => [1, `m${i}`]));
  });

  it("EV-017 limits events about one object regardless of their reason", async () => {
    const { send } = correlating({ burst: 1 });
    expect(await send({ reason: "A" }, { reason: "B" }, { reason: "A", uid: "other" })).toEqual([
      [1, "m"],
      "skipped",
      [1, "m"],
    ]);
  });

  it("EV-018 limits by a custom key", async () => {
    const { send } = correlating({
      burst: 1,
      spamKey: ({ involvedObject, reason }) => `${involvedObject.uid} ${reason}`,
    });
    expect(await send({ reason: "A" }, { reason: "B" }, { reason: "A", message: "other" })).toEqual([
      [1, "m"],
      [1, "m"],
      "skipped",
    ]);
  });
});
