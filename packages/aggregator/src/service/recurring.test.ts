import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { Recurring } from "./recurring.ts";

it("runs immediately, after the requested delay, and when kicked; never concurrently", async () => {
  const clock = new FakeClock();
  const stop = new AbortController();
  let [times, release] = [0, (): void => {}];
  let holds = false;
  const recurring = new Recurring(async () => {
    times++;
    if (holds) await new Promise<void>((resolve) => (release = resolve));
    return 1_000;
  }, clock);
  const running = recurring.run(stop.signal);
  await clock.advance(999);
  expect(times).toBe(1);
  await clock.advance(1);
  expect(times).toBe(2);
  holds = true;
  recurring.kick();
  await clock.advance(0);
  expect(times).toBe(3);
  recurring.kick();
  recurring.kick();
  await clock.advance(5_000);
  expect(times).toBe(3); // still running
  holds = false;
  release();
  await clock.advance(0);
  expect(times).toBe(4); // once for both kicks
  stop.abort();
  await running;
  expect(clock.waiting).toBe(0);
});
