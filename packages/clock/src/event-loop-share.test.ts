import { expect, it } from "vitest";
import { EventLoopShare } from "./event-loop-share.ts";
import { FakeClock } from "./testing/index.ts";

it("is used up after ten milliseconds, by all that share a clock, until the next turn", async () => {
  const clock = new FakeClock();
  const share = EventLoopShare.of(clock);
  expect(EventLoopShare.of(clock)).toBe(share);
  expect(EventLoopShare.of(new FakeClock())).not.toBe(share);
  await clock.advance(9);
  expect(share.isUsedUp()).toBe(false);
  await clock.advance(1);
  expect([share.isUsedUp(), share.isUsedUp(9)]).toEqual([true, false]);
  const turn = share.nextTurn();
  expect(share.nextTurn()).toBe(turn);
  let others = 0;
  setImmediate(() => others++);
  await turn;
  await new Promise((resolve) => setImmediate(resolve));
  expect([share.isUsedUp(), others]).toEqual([false, 1]);
  expect(share.nextTurn()).not.toBe(turn);
  await clock.advance(10);
  expect(share.isUsedUp()).toBe(true);
});

it("is separate if it is constructed", async () => {
  const clock = new FakeClock();
  const [one, other] = [new EventLoopShare(clock), new EventLoopShare(clock)];
  await clock.advance(10);
  expect([one.isUsedUp(), other.isUsedUp()]).toEqual([true, true]);
  await one.nextTurn();
  expect([one.isUsedUp(), other.isUsedUp()]).toEqual([false, true]);
});

it("counts only the work between resume and pause", async () => {
  const clock = new FakeClock();
  await clock.advance(1_000);
  const share = EventLoopShare.paused(clock);
  expect(share.isUsedUp()).toBe(false);
  share.resume();
  await clock.advance(6);
  share.pause();
  await clock.advance(100); // other work
  share.resume();
  share.resume();
  await clock.advance(3);
  expect(share.isUsedUp()).toBe(false);
  await clock.advance(1);
  expect(share.isUsedUp()).toBe(true);
  share.pause();
  expect(share.isUsedUp()).toBe(true);
});

it("starts over with the next turn, whether paused or not", async () => {
  const clock = new FakeClock();
  const share = EventLoopShare.paused(clock);
  share.resume();
  await clock.advance(20);
  share.pause();
  let others = 0;
  setImmediate(() => others++);
  await share.nextTurn();
  expect([share.isUsedUp(), others]).toEqual([false, 1]);
  share.resume();
  await clock.advance(9);
  expect(share.isUsedUp()).toBe(false);
  await clock.advance(1);
  expect(share.isUsedUp()).toBe(true);
  await share.nextTurn();
  expect(share.isUsedUp()).toBe(false);
});
