import { expect, it } from "vitest";
import { IpsecRestarts } from "./ipsec-restarts.ts";

it("is less and less often due while a failure lasts, and starts again with the next failure", () => {
  const restarts = new IpsecRestarts();
  const rounds: number[] = [];
  for (let round = 1; round <= 100; round++) if (restarts.isDue("a", true)) rounds.push(round);
  expect(rounds).toEqual([1, 2, 4, 8, 16, 32, 64, 96]);
  expect(restarts.isDue("a", false)).toBe(false);
  expect([restarts.isDue("a", true), restarts.isDue("a", true)]).toEqual([true, true]);
});

it("counts each pod separately, and drops deleted ones", () => {
  const restarts = new IpsecRestarts();
  expect(["a", "a", "a", "b"].map((uid) => restarts.isDue(uid, true))).toEqual([true, true, false, true]);
  restarts.keep(new Set(["b"]));
  expect(["a", "b", "b"].map((uid) => restarts.isDue(uid, true))).toEqual([true, true, false]);
});
