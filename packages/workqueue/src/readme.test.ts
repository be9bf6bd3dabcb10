import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { bucket, exponentialFailure, maxOf, RateLimitingQueue } from "./index.ts";

it("runs the README's example", async () => {
  const clock = new FakeClock();
  const stop = new AbortController();
  const reconciled: (readonly [string, readonly string[]])[] = [];
  let isFirst = true;
  const reconcile = async (key: string, causes: readonly string[]): Promise<void> => {
    reconciled.push([key, causes]);
    if (isFirst) {
      isFirst = false;
      throw new Error("not now");
    }
  };

  const queue = new RateLimitingQueue<string, string>({
    rateLimiter: maxOf(exponentialFailure({ baseMs: 5, maxMs: 1_000_000 }), bucket({ qps: 10, burst: 100 })),
    clock,
  });

  async function work(signal: AbortSignal): Promise<void> {
    for await (const key of queue.items(signal)) {
      try {
        await reconcile(key, queue.causesOf(key));
        queue.forget(key);
      } catch {
        queue.addRateLimited(key, "retry");
      } finally {
        queue.done(key);
      }
    }
  }

  queue.add("default/web", "Pod default/web changed");
  queue.add("default/web", "its Deployment changed");
  const working = work(stop.signal);
  await clock.advance(5);
  stop.abort();
  await working;
  expect(reconciled).toEqual([
    ["default/web", ["Pod default/web changed", "its Deployment changed"]],
    ["default/web", ["retry"]],
  ]);
});
