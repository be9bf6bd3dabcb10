import { FakeClock } from "@kubewright/clock/testing";
import { alwaysAccept, neverAccept, TokenBucket } from "@kubewright/workqueue";
import { describe, expect, it } from "vitest";

describe("token bucket", () => {
  it("WQ-047 grants the burst, refuses the next, and grants again after a refill", async () => {
    const clock = new FakeClock();
    const burst = new TokenBucket({ qps: 1, burst: 3, clock });
    expect([1, 2, 3, 4].map(() => burst.tryAccept())).toEqual([true, true, true, false]);
    await clock.advance(1_000);
    expect([burst.tryAccept(), burst.tryAccept()]).toEqual([true, false]);
    await clock.advance(400);
    expect(burst.tryAccept()).toBe(false);
    await clock.advance(600);
    expect(burst.tryAccept()).toBe(true);
  });

  it("WQ-048 paces waiting callers, even if they are many", async () => {
    const clock = new FakeClock();
    const single = new TokenBucket({ qps: 10, burst: 5, clock });
    let taken = 0;
    const one = (async () => {
      for (; taken < 16; taken++) await single.accept();
    })();
    await clock.advance(1_000);
    expect(taken).toBeLessThan(16);
    await clock.advance(100);
    await one;
    expect(taken).toBe(16);

    const many = new TokenBucket({ qps: 100, burst: 1, clock });
    let takenByAll = 0;
    const workers = Array.from({ length: 10 }, async () => {
      for (let times = 0; times < 10; times++) {
        await many.accept();
        takenByAll++;
      }
    });
    await clock.advance(980);
    expect(takenByAll).toBeLessThan(100);
    await clock.advance(20);
    await Promise.all(workers);
    expect(takenByAll).toBe(100);
  });

  it("WQ-049 refuses at once to wait for a token that cannot be available in time", async () => {
    const clock = new FakeClock();
    const bucket = new TokenBucket({ qps: 0.1, burst: 1, clock });
    await bucket.wait({ timeoutMs: 1_000 });
    await expect(bucket.wait({ timeoutMs: 1_000 })).rejects.toThrow("the next token is available in 10000 ms");
    const patient = bucket.wait({ timeoutMs: 10_000 });
    await clock.advance(10_000);
    await patient;
    await expect(bucket.wait({ signal: AbortSignal.abort(new Error("no more")) })).rejects.toThrow("no more");
  });

  it("WQ-050 has a stand-in that always grants, and one that never does", async () => {
    expect(alwaysAccept.tryAccept()).toBe(true);
    await alwaysAccept.accept();
    await alwaysAccept.wait();

    expect(neverAccept.tryAccept()).toBe(false);
    const stop = new AbortController();
    let hasReturned = false;
    const accepting = neverAccept.accept(stop.signal).then(() => {
      hasReturned = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(hasReturned).toBe(false);
    stop.abort(new Error("stopped"));
    await accepting;
    await expect(neverAccept.wait({ signal: stop.signal })).rejects.toThrow("stopped");
  });
});
