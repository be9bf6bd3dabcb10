import { describe, expect, it } from "vitest";
import { channelSource } from "./event-sources.ts";
import { startController } from "./testing/start-controller.ts";
import { WorkingClock } from "./testing/working-clock.ts";

/** Counts the event loop's turns. */
function countTurns() {
  let turns = 0;
  let isOn = true;
  const next = (): void => {
    turns++;
    if (isOn) setImmediate(next);
  };
  setImmediate(next);
  const stop = (): void => {
    isOn = false;
  };
  return { now: () => turns, stop };
}

/** Maximum number of equal values in a row. */
function longestRun(values: readonly number[]): number {
  let longest = 0;
  let length = 0;
  values.forEach((value, i) => {
    length = value === values[i - 1] ? length + 1 : 1;
    longest = Math.max(longest, length);
  });
  return longest;
}

describe("reconciles without I/O", () => {
  const reconcileAll = async (workMs: number, maxConcurrentReconciles: number) => {
    const clock = new WorkingClock();
    const turns = countTurns();
    const seen: number[] = [];
    const reconcile = async (): Promise<void> => {
      await null;
      clock.work(workMs);
      seen.push(turns.now());
    };
    const { add, stop, run } = startController({ maxConcurrentReconciles, reconcile }, clock);
    await clock.advance(0);
    for (let i = 0; i < 100; i++) add(`ns/o${i}`);
    await expect.poll(() => seen.length).toBe(100);
    turns.stop();
    stop.abort();
    await run;
    return longestRun(seen);
  };

  it.each([1, 4])("let other work run every 10 ms, with %i workers", async (workers) => {
    expect(await reconcileAll(1, workers)).toBeLessThanOrEqual(10 + workers);
  });

  it("continue in the same turn before that", async () => {
    expect(await reconcileAll(0, 1)).toBe(100);
  });
});

it("lets other work run while a source delivers", async () => {
  const clock = new WorkingClock();
  const turns = countTurns();
  const seen: number[] = [];
  async function* objects() {
    for (let i = 0; i < 100; i++) yield { apiVersion: "v1", kind: "Pod", metadata: { name: `p${i}` } };
  }
  const work = (): void => {
    clock.work(1);
    seen.push(turns.now());
  };
  const source = channelSource(objects(), { handler: work });
  const asynchronous = channelSource(objects(), { handler: async () => work() });
  const { run, stop } = startController({ sources: [source, asynchronous] }, clock);
  await expect.poll(() => seen.length).toBe(200);
  turns.stop();
  stop.abort();
  await run;
  expect(longestRun(seen)).toBeLessThanOrEqual(12);
});
