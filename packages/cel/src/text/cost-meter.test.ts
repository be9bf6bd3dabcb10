import { expect, it } from "vitest";
import { CostLimitExceededError, CostMeter, metered, spend, spendOnText } from "./cost-meter.ts";

it("stops at its cost limit, and at ten times as much work", () => {
  const meter = new CostMeter(100);
  meter.add(100);
  meter.spend(1_000);
  expect(meter.cost).toBe(100);
  expect(() => meter.spend(1_000_000)).toThrow(CostLimitExceededError);
  expect(meter.cost).toBe(101);
  expect(() => meter.add(1)).toThrow(CostLimitExceededError);
  expect(meter.cost).toBe(101);
});

it("costs what upstream counts, or a tenth of the work if that is more", () => {
  const meter = new CostMeter(100);
  meter.add(3);
  meter.spend(30);
  expect(meter.cost).toBe(3);
  meter.spend(1);
  expect(meter.cost).toBe(4);
});

it("adds work only to the meter of the innermost evaluation", () => {
  const [outer, inner] = [new CostMeter(100), new CostMeter(100)];
  metered(outer, () => {
    metered(inner, () => spend(70));
    expect(() =>
      metered(inner, () => {
        throw new Error("fails");
      }),
    ).toThrow("fails");
    spend(30);
  });
  spend(1_000_000);
  expect([outer.cost, inner.cost]).toEqual([3, 7]);
});

it("short texts cost nothing, long ones in proportion", () => {
  const meter = new CostMeter(100);
  metered(meter, () => {
    spendOnText(16);
    expect(meter.cost).toBe(0);
    spendOnText(1_600);
  });
  expect(meter.cost).toBe(10);
});
