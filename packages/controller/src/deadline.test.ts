import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { endsWithin } from "./deadline.ts";

it("work ends in time, the time passes first, or the signal aborts; nothing is left behind", async () => {
  const clock = new FakeClock();
  const never = new Promise<void>(() => {});
  const stop = new AbortController();
  expect(await endsWithin(clock, 10, Promise.resolve(), stop.signal)).toBe(true);
  const late = endsWithin(clock, 10, never, stop.signal);
  await clock.advance(10);
  expect(await late).toBe(false);
  const given = endsWithin(clock, 10, never, stop.signal);
  stop.abort();
  expect(await given).toBe(false);
  expect(await endsWithin(clock, 10, Promise.resolve(), stop.signal)).toBe(false);
  expect(clock.waiting).toBe(0);
});
