import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { defaultControllerRateLimiter } from "./rate-limiters.ts";
import { type RetryOptions, retryOnError } from "./retry-on-error.ts";

it("treats an undefined option like a missing one", async () => {
  const clock = new FakeClock();
  const undefinedSteps = {
    steps: undefined,
    waitMs: undefined,
    factor: undefined,
    jitter: undefined,
    random: undefined,
  };
  const options: RetryOptions = { isRetriable: () => true, clock, signal: undefined, ...undefinedSteps };
  let tries = 0;
  const failing = (): never => {
    throw new Error(`try ${++tries}`);
  };
  const outcome = expect(retryOnError(failing, options)).rejects.toThrow("try 5");
  await clock.advance(100);
  await outcome;
});

it("limits retries as usual if its options are undefined", () => {
  const limiter = defaultControllerRateLimiter({ clock: undefined });
  expect([limiter.when("a"), limiter.when("a"), limiter.when("b")]).toEqual([5, 10, 5]);
});

it("does not try again after the signal has aborted during a wait", async () => {
  const clock = new FakeClock();
  const stop = new AbortController();
  let tries = 0;
  const failing = (): never => {
    throw new Error(`try ${++tries}`);
  };
  const outcome = expect(
    retryOnError(failing, { isRetriable: () => true, clock, signal: stop.signal }),
  ).rejects.toThrow("try 1");
  await clock.advance(1);
  stop.abort();
  await outcome;
  expect(tries).toBe(1);
});
