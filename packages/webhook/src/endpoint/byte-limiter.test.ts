import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { ByteLimiter } from "./byte-limiter.ts";

const kib = 1024;
const mib = 1024 * kib;

function start(most: number) {
  const clock = new FakeClock();
  const limiter = new ByteLimiter(most, clock);
  /** A call of a peer that holds this many bytes, if possible, while its body arrives. */
  const arriving = (peer: string, bytes: number) => {
    const lease = limiter.lease(peer);
    return Object.assign(lease, { isServed: lease.grow(bytes) });
  };
  /** A call whose body is complete. */
  const call = (peer: string, bytes: number) => {
    const lease = arriving(peer, bytes);
    lease.settle();
    return lease;
  };
  return { clock, limiter, arriving, call };
}

it("never lends more than the budget, and returns a call's bytes once", () => {
  const { limiter } = start(10);
  const [one, other] = [limiter.lease("a"), limiter.lease("a")];
  expect([one.grow(5), other.grow(5), other.grow(4), limiter.used]).toEqual([true, false, true, 9]);
  expect(one.grow(1)).toBe(false);
  one.release();
  one.release();
  expect(limiter.used).toBe(4);
  other.release();
  expect(limiter.used).toBe(0);
});

it("gives everything to a single call", () => {
  const lease = start(10).limiter.lease("a");
  expect([lease.grow(10), lease.grow(0), lease.grow(1)]).toEqual([true, true, false]);
});

it("keeps an eighth for small calls of any peer", () => {
  const { call } = start(64 * mib);
  expect([call("a", 28 * mib), call("b", 28 * mib)]).toMatchObject([{ isServed: true }, { isServed: true }]);
  expect(call("c", 128 * kib + 1).isServed).toBe(false);
  const small = Array.from({ length: 64 }, () => call("c", 128 * kib));
  expect(small.filter(({ isServed }) => isServed)).toHaveLength(64);
  expect(call("d", 1).isServed).toBe(false);
});

it("counts a call as large once it grows, until it ends", () => {
  const { call } = start(16 * mib);
  const one = call("a", 128 * kib);
  expect(one.grow(13 * mib)).toBe(true);
  expect(call("b", 1 * mib).isServed).toBe(false);
  one.release();
  expect(call("b", 14 * mib).isServed).toBe(true);
});

it("lets one peer take all but the last sixteenth, which is for others", () => {
  const { call } = start(16 * mib);
  call("a", 8 * mib);
  const calls = Array.from({ length: 128 }, () => call("a", 64 * kib));
  expect(calls.filter(({ isServed }) => isServed)).toHaveLength(112);
  expect(call("b", 64 * kib).isServed).toBe(true);
});

it("takes the place of a body from a peer that holds more, but never of a complete one", () => {
  const { limiter, arriving, call } = start(16 * mib);
  const complete = call("attacker", 7 * mib);
  const incomplete = arriving("attacker", 6 * mib);
  const other = arriving("api", 2 * mib);
  expect([other.isServed, incomplete.lost.aborted, incomplete.held, incomplete.grow(1)]).toEqual([
    true,
    true,
    0,
    false,
  ]);
  expect([complete.lost.aborted, limiter.used]).toEqual([false, 9 * mib]);
  expect([call("attacker", 6 * mib).isServed, other.lost.aborted]).toEqual([false, false]);
});

it.each([
  ["nothing has arrived of it for 250 ms", 250, false],
  ["it has been arriving for 5 s", 5_000, true],
])("takes the place of a body of the same peer if %s", async (_why, afterMs, arrives) => {
  const { clock, arriving, call } = start(16 * mib);
  const slow = arriving("a", 13 * mib);
  const grow = () => arrives && slow.grow(1);
  const stepMs = 50;
  for (let ms = stepMs; ms < afterMs; ms += stepMs) {
    await clock.advance(stepMs);
    grow();
  }
  expect([call("a", 2 * mib).isServed, slow.lost.aborted]).toEqual([false, false]);
  await clock.advance(stepMs);
  grow();
  expect([call("a", 2 * mib).isServed, slow.lost.aborted]).toEqual([true, true]);
});

it("takes no more places than needed, the longest waiting first", () => {
  const { arriving, call } = start(16 * mib);
  const several = Array.from({ length: 4 }, () => arriving("attacker", 3 * mib));
  expect(several[0]?.grow(1)).toBe(true);
  expect(call("api", 4 * mib).isServed).toBe(true);
  expect(several.map(({ lost }) => lost.aborted)).toEqual([false, true, false, false]);
});

it("takes no place while there is room", async () => {
  const { clock, arriving, call } = start(16 * mib);
  const slow = arriving("a", 8 * mib);
  await clock.advance(60_000);
  expect([call("b", 6 * mib).isServed, slow.lost.aborted]).toEqual([true, false]);
});

it("counts existing bytes even if there is no room for them", () => {
  const { limiter, call } = start(mib);
  const answer = limiter.lease("a");
  answer.charge(2 * mib);
  expect([limiter.used, call("b", 1).isServed]).toEqual([2 * mib, false]);
  answer.release();
  expect([limiter.used, call("b", 1).isServed]).toEqual([0, true]);
});
