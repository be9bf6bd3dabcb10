import { getEventListeners } from "node:events";
import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it } from "vitest";
import { Budget } from "./budget.ts";

/** A clock that can advance without firing timers. */
class StallingClock extends FakeClock {
  stalledMs = 0;

  override monotonic(): number {
    return super.monotonic() + this.stalledMs;
  }
}

const never = (): Promise<never> => new Promise(() => {});

describe("Budget", () => {
  it("accepts a response until its end, and none afterwards, even if no timer fired", async () => {
    const clock = new StallingClock();
    const budget = new Budget(clock, 100);
    const answerAfter = (ms: number) => async () => {
      clock.stalledMs = ms;
      return "answer";
    };
    expect(await budget.spend(answerAfter(99))).toBe("answer");
    await expect(budget.spend(answerAfter(100))).rejects.toThrow("the answer came too late");
    expect(budget.signal.aborted).toBe(true);
  });

  it("begins no call after its end", async () => {
    const clock = new FakeClock();
    const budget = new Budget(clock, 100);
    await clock.advance(100);
    let calls = 0;
    await expect(budget.spend(async () => calls++)).rejects.toThrow("not done within 100 ms");
    expect(calls).toBe(0);
  });

  it("is over from the start if it was stopped before", async () => {
    const clock = new FakeClock();
    const budget = new Budget(clock, 100, AbortSignal.abort(new Error("stopped")));
    expect(budget.signal.reason).toMatchObject({ message: "stopped" });
    expect(clock.waiting).toBe(0);
    await expect(budget.spend(never)).rejects.toThrow("stopped");
  });

  it.each(["closed", "stopped"])("leaves no timer and no listener behind when it is %s", async (how) => {
    const clock = new FakeClock();
    const stop = new AbortController();
    const budget = new Budget(clock, 100, stop.signal);
    expect([clock.waiting, getEventListeners(stop.signal, "abort").length]).toEqual([1, 1]);
    if (how === "closed") budget.close();
    else stop.abort();
    expect([clock.waiting, getEventListeners(stop.signal, "abort").length]).toEqual([0, 0]);
    expect(budget.signal.aborted).toBe(how === "stopped");
  });
});
