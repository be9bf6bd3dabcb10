import { FakeClock } from "@kubewright/clock/testing";
import { createLogger } from "@kubewright/log";
import { beforeEach, expect, it } from "vitest";
import { withRetries } from "./with-retries.ts";

let lines: string[];
beforeEach(() => {
  lines = [];
});
const logger = createLogger({ destination: { write: (line: string) => lines.push(line) } });
const options = (clock: FakeClock, signal: AbortSignal) => ({ clock, logger, what: "not done", signal });

it("retries until it succeeds, with pauses growing to at most five seconds", async () => {
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
  expect(lines).toHaveLength(8);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    level: "error",
    msg: "not done; retrying",
    err: { message: "away" },
  });
});

it("does not treat an abort as a failure", async () => {
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
  expect(lines).toEqual([]);
});

it("starts nothing once the signal has aborted", async () => {
  let calls = 0;
  await withRetries(async () => void calls++, options(new FakeClock(), AbortSignal.abort()));
  expect(calls).toBe(0);
});
