import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { FailedPods } from "./failed-pods.ts";

it("lets a failed pod be replaced at once, and then after a delay that doubles up to a quarter of an hour", async () => {
  const clock = new FakeClock();
  const failed = new FailedPods(clock);
  expect(failed.replaceOrWaitMs("a")).toBe(0);
  const waits: number[] = [];
  for (let round = 0; round < 12; round++) {
    const wait = failed.replaceOrWaitMs("a");
    waits.push(wait);
    await clock.advance(wait - 1);
    expect(failed.replaceOrWaitMs("a")).toBe(1);
    await clock.advance(1);
    expect(failed.replaceOrWaitMs("a")).toBe(0);
  }
  expect(waits.slice(0, 4)).toEqual([1_000, 2_000, 4_000, 8_000]);
  expect(waits.slice(-2)).toEqual([900_000, 900_000]);
});

it("counts each place separately, and resets after half an hour without a failure", async () => {
  const clock = new FakeClock();
  const failed = new FailedPods(clock);
  failed.replaceOrWaitMs("a");
  expect(failed.replaceOrWaitMs("b")).toBe(0);
  await clock.advance(1_000);
  expect(failed.replaceOrWaitMs("a")).toBe(0);
  await clock.advance(30 * 60_000);
  expect(failed.replaceOrWaitMs("a")).toBe(0);
  expect(failed.replaceOrWaitMs("a")).toBe(1_000);
});

it("evicts by the last failure, not the first", async () => {
  const clock = new FakeClock();
  const failed = new FailedPods(clock);
  for (const place of ["a", "b"]) failed.replaceOrWaitMs(place);
  await clock.advance(29 * 60_000);
  expect(failed.replaceOrWaitMs("a")).toBe(0);
  await clock.advance(60_000);
  expect(failed.replaceOrWaitMs("b")).toBe(0);
  expect([failed.replaceOrWaitMs("a"), failed.replaceOrWaitMs("b")]).toEqual([0, 1_000]);
});
