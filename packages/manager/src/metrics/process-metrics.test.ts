import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { Metrics } from "./metrics.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** Requests the metrics once, and keeps only a weak reference. */
async function looksAt(ofProcess: boolean): Promise<WeakRef<object>> {
  const seen = { count: 7 };
  const metrics = new Metrics({ ofProcess });
  metrics.gauge({ name: "seen", help: "what is seen", collect: (of) => of().set(seen.count) });
  expect(await metrics.metrics()).toContain("seen 7");
  return new WeakRef(seen);
}

it.each([false, true])("keeps nothing in memory after a request: of the process %s", async (ofProcess) => {
  const reference = await looksAt(ofProcess);
  for (let round = 0; round < 20 && reference.deref(); round++) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    collectGarbage();
  }
  expect(reference.deref()).toBeUndefined();
});

it("adds the process's own metrics to each registry that requests them", async () => {
  const [one, another, without] = [new Metrics({ ofProcess: true }), new Metrics({ ofProcess: true }), new Metrics()];
  for (const metrics of [one, another]) {
    const text = await metrics.metrics();
    expect(text).toMatch(/^process_resident_memory_bytes \d+/m);
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m);
    expect(text.match(/^# TYPE nodejs_gc_duration_seconds /gm)).toHaveLength(1);
  }
  expect(await without.metrics()).not.toContain("process_");
});
