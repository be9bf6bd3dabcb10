import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { alwaysAccept, neverAccept, TokenBucket } from "./token-bucket.ts";

it("starts full, fills at its rate, and never exceeds its burst", async () => {
  const clock = new FakeClock();
  const bucket = new TokenBucket({ qps: 10, burst: 3, clock });
  const accepted = (): number => [1, 2, 3, 4].filter(() => bucket.tryAccept()).length;
  expect(accepted()).toBe(3);
  await clock.advance(99);
  expect(accepted()).toBe(0);
  await clock.advance(1);
  expect(accepted()).toBe(1);
  await clock.advance(60_000);
  expect(accepted()).toBe(3);
});

it("finds a token that arrived in many small steps", async () => {
  const clock = new FakeClock();
  const bucket = new TokenBucket({ qps: 10, burst: 1, clock });
  expect(bucket.tryAccept()).toBe(true);
  for (let i = 0; i < 1_000; i++) {
    await clock.advance(0.1);
    if (i < 998) expect(bucket.tryAccept()).toBe(false);
  }
  expect(bucket.tryAccept()).toBe(true);
});

it("accepts in turn, each when its token arrives", async () => {
  const clock = new FakeClock();
  const bucket = new TokenBucket({ qps: 1, burst: 1, clock });
  const passed: string[] = [];
  const all = ["a", "b", "c"].map((name) => bucket.accept().then(() => passed.push(name)));
  await clock.advance(999);
  expect(passed).toEqual(["a"]);
  await clock.advance(1);
  expect(passed).toEqual(["a", "b"]);
  await clock.advance(1_000);
  await Promise.all(all);
  expect(passed).toEqual(["a", "b", "c"]);
});

it("refuses a wait that is too long at once, without taking a token", async () => {
  const clock = new FakeClock();
  const bucket = new TokenBucket({ qps: 1, burst: 1, clock });
  await bucket.wait({ timeoutMs: 0 });
  await expect(bucket.wait({ timeoutMs: 999 })).rejects.toThrow(
    "the next token is available in 1000 ms, but the limit is 999 ms",
  );
  const waited = bucket.wait({ timeoutMs: 1_000 });
  await clock.advance(1_000);
  await waited;
  expect(bucket.tryAccept()).toBe(false);
});

it("returns the token when the signal aborts a wait", async () => {
  const clock = new FakeClock();
  const bucket = new TokenBucket({ qps: 1, burst: 1, clock });
  expect(bucket.tryAccept()).toBe(true);
  const stop = new AbortController();
  const waited = bucket.wait({ signal: stop.signal });
  stop.abort(new Error("enough"));
  await expect(waited).rejects.toThrow("enough");
  await expect(bucket.wait({ signal: stop.signal })).rejects.toThrow("enough");
  expect(bucket.reserve()).toBe(1_000);
});

it("ends an accept without a token when the signal aborts", async () => {
  const bucket = new TokenBucket({ qps: 1, burst: 1, clock: new FakeClock() });
  await bucket.accept();
  const stop = new AbortController();
  const accepted = bucket.accept(stop.signal);
  stop.abort();
  await expect(accepted).resolves.toBeUndefined();
});

it.each([
  [{ qps: 0, burst: 1 }, "qps must be positive, got 0"],
  [{ qps: Number.NaN, burst: 1 }, "qps must be positive, got NaN"],
  [{ qps: 1, burst: 0.5 }, "burst must be at least 1, got 0.5"],
])("refuses %o", (options, message) => {
  expect(() => new TokenBucket(options)).toThrow(new RangeError(message));
});

it("accepts everything, or nothing until the signal aborts", async () => {
  expect(alwaysAccept.tryAccept()).toBe(true);
  await alwaysAccept.accept();
  await alwaysAccept.wait({ timeoutMs: 0 });
  expect(neverAccept.tryAccept()).toBe(false);
  await expect(neverAccept.wait({ timeoutMs: 5 })).rejects.toThrow("no token will ever be available");
  const stop = new AbortController();
  const ended: string[] = [];
  const accepted = neverAccept.accept(stop.signal).then(() => ended.push("accept"));
  const waited = neverAccept.wait({ signal: stop.signal }).catch((error: Error) => ended.push(error.message));
  await new Promise((resolve) => setImmediate(resolve));
  expect(ended).toEqual([]);
  stop.abort(new Error("enough"));
  await Promise.all([accepted, waited, neverAccept.accept(stop.signal)]);
  expect(ended).toEqual(["accept", "enough"]);
});
