import { expect, it } from "vitest";
import { ByteBudget } from "./byte-budget.ts";

it("gives no more than there is, and what a call held comes back once", () => {
  const budget = new ByteBudget(10);
  const [one, other] = [budget.lease(), budget.lease()];
  expect([one.grow(6), other.grow(5), other.grow(4), budget.taken]).toEqual([true, false, true, 10]);
  expect(one.grow(1)).toBe(false);
  one.release();
  one.release();
  expect(budget.taken).toBe(4);
  other.release();
  expect(budget.taken).toBe(0);
});

it("gives all that there is to one", () => {
  const lease = new ByteBudget(10).lease();
  expect([lease.grow(10), lease.grow(0), lease.grow(1)]).toEqual([true, true, false]);
});
