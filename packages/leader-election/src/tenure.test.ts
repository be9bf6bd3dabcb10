import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it } from "vitest";
import { Tenure } from "./tenure.ts";

describe("Tenure", () => {
  it("is over before it begins and after it ends", () => {
    const tenure = new Tenure(new FakeClock(), 100);
    const over = { remainingMs: 0, undoubtedMs: 0, isOver: true, isDoubted: true };
    expect(tenure).toMatchObject(over);
    tenure.renew(tenure.mark());
    expect(tenure).toMatchObject({ remainingMs: 100, undoubtedMs: 100, isOver: false, isDoubted: false });
    tenure.end();
    expect(tenure).toMatchObject(over);
  });

  it("counts from the mark, and is over at its end", async () => {
    const clock = new FakeClock();
    const tenure = new Tenure(clock, 100);
    const from = tenure.mark();
    await clock.advance(40);
    tenure.renew(from);
    await clock.advance(59);
    expect(tenure).toMatchObject({ remainingMs: 1, isOver: false, isDoubted: false });
    await clock.advance(1);
    expect(tenure).toMatchObject({ remainingMs: 0, isOver: true, isDoubted: true });
  });

  it.each([
    { step: 59, remainingMs: 60, undoubtedMs: 1, isDoubted: false },
    { step: 60, remainingMs: 60, undoubtedMs: 0, isDoubted: true },
    { step: -3_600_000, remainingMs: 60, undoubtedMs: 60, isDoubted: false },
  ])("is only doubted if the wall clock is set by $step ms", async ({ step, ...facts }) => {
    const clock = new FakeClock();
    const tenure = new Tenure(clock, 100);
    tenure.renew(tenure.mark());
    await clock.advance(40);
    clock.setWall(clock.now() + step);
    expect(tenure).toMatchObject({ ...facts, isOver: false });
  });
});
