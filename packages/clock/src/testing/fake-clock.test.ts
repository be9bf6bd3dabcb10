import { expect, it } from "vitest";
import { FakeClock } from "./fake-clock.ts";

it("does not change until it is advanced", async () => {
  const clock = new FakeClock(1_000);
  expect([clock.now(), clock.monotonic()]).toEqual([1_000, 0]);
  await clock.advance(500);
  expect([clock.now(), clock.monotonic()]).toEqual([1_500, 500]);
});

it("fires timers in the order of their times, then of their creation", async () => {
  const clock = new FakeClock();
  const fired: string[] = [];
  clock.after(20, () => fired.push("late"));
  clock.after(10, () => fired.push("early"));
  clock.after(20, () => fired.push("late too"));
  const called = clock.after(5, () => fired.push("never"));
  called.cancel();
  expect(clock.waiting).toBe(3);
  await clock.advance(20);
  expect(fired).toEqual(["early", "late", "late too"]);
});

it("runs work that a timer starts before the next timer", async () => {
  const clock = new FakeClock(0);
  const times: number[] = [];
  const loop = async (): Promise<void> => {
    for (let i = 0; i < 3; i++) {
      await clock.sleep(10);
      times.push(clock.now());
    }
  };
  const running = loop();
  await clock.advance(100);
  await running;
  expect(times).toEqual([10, 20, 30]);
});

it("ends a sleep on abort and removes its timer", async () => {
  const clock = new FakeClock();
  const controller = new AbortController();
  const slept = clock.sleep(1_000, controller.signal);
  controller.abort();
  await slept;
  expect(clock.waiting).toBe(0);
});

it("can set the wall-clock time without firing timers", async () => {
  const clock = new FakeClock(0);
  let fired = false;
  clock.after(10, () => {
    fired = true;
  });
  clock.setWall(1_000_000);
  expect([clock.now(), clock.monotonic(), fired]).toEqual([1_000_000, 0, false]);
  await clock.advance(10);
  expect(fired).toBe(true);
});
