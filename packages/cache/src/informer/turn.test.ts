import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { Turn } from "./turn.ts";

it("is over after ten milliseconds of work, whenever they were", async () => {
  const clock = new FakeClock();
  await clock.advance(1_000);
  const turn = new Turn(clock);
  expect(turn.isOver).toBe(false);
  turn.resume();
  await clock.advance(6);
  turn.pause();
  await clock.advance(100); // others'
  turn.resume();
  turn.resume();
  await clock.advance(3);
  expect(turn.isOver).toBe(false);
  await clock.advance(1);
  expect(turn.isOver).toBe(true);
  turn.pause();
  expect(turn.isOver).toBe(true);
});

it("begins anew with the event loop's next", async () => {
  const clock = new FakeClock();
  const turn = new Turn(clock);
  turn.resume();
  await clock.advance(20);
  let others = 0;
  setImmediate(() => others++);
  await turn.next();
  expect([turn.isOver, others]).toEqual([false, 1]);
  turn.resume();
  await clock.advance(9);
  expect(turn.isOver).toBe(false);
  await clock.advance(1);
  expect(turn.isOver).toBe(true);
});
