import { getEventListeners } from "node:events";
import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it } from "vitest";
import { Deadline, Term } from "./elector.ts";

describe("Term", () => {
  it("is over before it begins and after it ends", () => {
    const term = new Term(new FakeClock(), 100);
    const over = { remainingMs: 0, undoubtedMs: 0, isOver: true, isDoubted: true };
    expect(term).toMatchObject(over);
    term.renew(term.mark());
    expect(term).toMatchObject({ remainingMs: 100, undoubtedMs: 100, isOver: false, isDoubted: false });
    term.end();
    expect(term).toMatchObject(over);
  });

  it("counts from the mark, and is over at its end", async () => {
    const clock = new FakeClock();
    const term = new Term(clock, 100);
    const from = term.mark();
    await clock.advance(40);
    term.renew(from);
    await clock.advance(59);
    expect(term).toMatchObject({ remainingMs: 1, isOver: false, isDoubted: false });
    await clock.advance(1);
    expect(term).toMatchObject({ remainingMs: 0, isOver: true, isDoubted: true });
  });

  it.each([
    { step: 59, remainingMs: 60, undoubtedMs: 1, isDoubted: false },
    { step: 60, remainingMs: 60, undoubtedMs: 0, isDoubted: true },
    { step: -3_600_000, remainingMs: 60, undoubtedMs: 60, isDoubted: false },
  ])("is only doubted if the wall clock is set by $step ms", async ({ step, ...facts }) => {
    const clock = new FakeClock();
    const term = new Term(clock, 100);
    term.renew(term.mark());
    await clock.advance(40);
    clock.setWall(clock.now() + step);
    expect(term).toMatchObject({ ...facts, isOver: false });
  });
});

/** A clock that can advance without firing timers. */
class StallingClock extends FakeClock {
  stalledMs = 0;

  override monotonic(): number {
    return super.monotonic() + this.stalledMs;
  }
}

const never = (): Promise<never> => new Promise(() => {});

describe("Deadline", () => {
  it("accepts a response until its end, and none afterwards, even if no timer fired", async () => {
    const clock = new StallingClock();
    const deadline = new Deadline(clock, 100);
    const respondAfter = (ms: number) => async () => {
      clock.stalledMs = ms;
      return "answer";
    };
    expect(await deadline.within(respondAfter(99))).toBe("answer");
    await expect(deadline.within(respondAfter(100))).rejects.toThrow("the response came too late");
    expect(deadline.signal.aborted).toBe(true);
  });

  it("begins no call after its end", async () => {
    const clock = new FakeClock();
    const deadline = new Deadline(clock, 100);
    await clock.advance(100);
    let calls = 0;
    await expect(deadline.within(async () => calls++)).rejects.toThrow("not completed within 100 ms");
    expect(calls).toBe(0);
  });

  it("is over from the start if it was stopped before", async () => {
    const clock = new FakeClock();
    const deadline = new Deadline(clock, 100, AbortSignal.abort(new Error("stopped")));
    expect(deadline.signal.reason).toMatchObject({ message: "stopped" });
    expect(clock.waiting).toBe(0);
    await expect(deadline.within(never)).rejects.toThrow("stopped");
  });

  it.each(["closed", "stopped"])("leaves no timer and no listener behind when it is %s", async (how) => {
    const clock = new FakeClock();
    const stop = new AbortController();
    const deadline = new Deadline(clock, 100, stop.signal);
    expect([clock.waiting, getEventListeners(stop.signal, "abort").length]).toEqual([1, 1]);
    if (how === "closed") deadline.close();
    else stop.abort();
    expect([clock.waiting, getEventListeners(stop.signal, "abort").length]).toEqual([0, 0]);
    expect(deadline.signal.aborted).toBe(how === "stopped");
  });
});
