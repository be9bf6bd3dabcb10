import { FakeClock } from "@kubewright/clock/testing";
import { silentLogger } from "@kubewright/log";
import { expect, it } from "vitest";
import { withRetries } from "./with-retries.ts";

const options = (clock: FakeClock, signal: AbortSignal) => ({ clock, logger: silentLogger, what: "not done", signal });

it("tries until it succeeds, with growing pauses of five seconds at most", async () => {
  const clock = new FakeClock();
  const times: number[] = [];
  const done = withRetries(
    async () => {
      times.push(clock.monotonic());
      if (times.length < 9) throw new Error("away");
    },
    options(clock, new AbortController().signal),
  );
  await clock.advance(60_000);
  await done;
  expect(times).toEqual([0, 100, 300, 700, 1_500, 3_100, 6_300, 11_300, 16_300]);
});

it("an abort is no failure", async () => {
  const clock = new FakeClock();
  const stop = new AbortController();
  const done = withRetries(
    async () => {
      stop.abort();
      throw new Error("the storage is closed");
    },
    options(clock, stop.signal),
  );
  await done;
  expect(clock.waiting).toBe(0);
});
