import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { nextTurn, onNextTurn, rfc3339, rfc3339Micro, systemClock, timeoutSignal, withPromiseTurns } from "./clock.ts";
import { FakeClock } from "./testing/fake-clock.ts";

describe("the system clock", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("calls back once, after the time", () => {
    const fired = vi.fn();
    systemClock.after(100, fired);
    vi.advanceTimersByTime(99);
    expect(fired).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1_000);
    expect(fired).toHaveBeenCalledTimes(1);
  });

  it("can be cancelled, twice", () => {
    const fired = vi.fn();
    const timer = systemClock.after(100, fired, { unref: true });
    timer.cancel();
    timer.cancel();
    vi.advanceTimersByTime(1_000);
    expect(fired).not.toHaveBeenCalled();
  });

  it("supports delays above the platform's maximum", () => {
    const fired = vi.fn();
    const month = 30 * 24 * 3_600_000;
    systemClock.after(month, fired);
    vi.advanceTimersByTime(month - 1);
    expect(fired).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(fired).toHaveBeenCalledTimes(1);
  });

  it("ends a sleep when the signal aborts, and leaves no timer", async () => {
    const controller = new AbortController();
    const slept = systemClock.sleep(1_000, controller.signal);
    controller.abort();
    await slept;
    await systemClock.sleep(1_000, controller.signal);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("has a monotonic time", () => {
    const before = systemClock.monotonic();
    expect(systemClock.monotonic()).toBeGreaterThanOrEqual(before);
    expect(systemClock.now()).toBeGreaterThan(0);
  });
});

it("formats times as in object metadata", () => {
  expect(rfc3339(1_700_000_000_999)).toBe("2023-11-14T22:13:20Z");
  expect(rfc3339Micro(1_700_000_000_123)).toBe("2023-11-14T22:13:20.123000Z");
  expect(rfc3339Micro(1_700_000_000_123.456)).toBe("2023-11-14T22:13:20.123456Z");
  expect(rfc3339Micro(1_700_000_000_999.9998)).toBe("2023-11-14T22:13:21.000000Z");
});

it("lets the event loop process what is due before the next turn", async () => {
  const order: string[] = [];
  onNextTurn(() => order.push("turn"));
  queueMicrotask(() => order.push("microtask"));
  await nextTurn();
  expect(order).toEqual(["microtask", "turn"]);
});

it("lets a chain of promises settle before the next turn of promises, and nothing else", async () => {
  const clock = withPromiseTurns(systemClock);
  let hasTurned = false;
  setImmediate(() => {
    hasTurned = true;
  });
  const order: string[] = [];
  onNextTurn(() => order.push("turn"), clock);
  void (async () => {
    for (let step = 0; step < 20; step++) await undefined;
    order.push("settled");
  })();
  await nextTurn(clock);
  await nextTurn(clock);
  expect(order).toEqual(["settled", "turn"]);
  expect(hasTurned).toBe(false);
});

it("aborts a signal after a time, as a timeout", async () => {
  const clock = new FakeClock();
  const signal = timeoutSignal(50, clock);
  await clock.advance(49);
  expect(signal.aborted).toBe(false);
  await clock.advance(1);
  expect(signal.reason).toMatchObject({ name: "TimeoutError", message: "The operation was aborted due to timeout" });
  expect(clock.waiting).toBe(0);
});
