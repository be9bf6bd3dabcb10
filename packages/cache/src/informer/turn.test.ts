import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { Turn } from "./turn.ts";

it("is over after ten milliseconds of work in total", async () => {
  const clock = new FakeClock();
  await clock.advance(1_000);
  const turn = new Turn(clock);
  expect(turn.isOver).toBe(false);
  turn.resume();
  await clock.advance(6);
  turn.pause();
  await clock.advance(100); // other work
  turn.resume();
  turn.resume();
  await clock.advance(3);
  expect(turn.isOver).toBe(false);
  await clock.advance(1);
  expect(turn.isOver).toBe(true);
  turn.pause();
  expect(turn.isOver).toBe(true);
});

it("starts over with the next turn of the event loop", async () => {
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
