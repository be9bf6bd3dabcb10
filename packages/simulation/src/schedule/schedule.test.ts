import { expect, it } from "vitest";
import { scheduleOf } from "./schedule.ts";

it("leaves out the steps of a class, and keeps the others as they are", () => {
  const numbers = Array.from({ length: 50 }, (_, number) => number);
  const all = numbers.flatMap((number) => scheduleOf(1, number));
  const without = numbers.flatMap((number) => scheduleOf(1, number, { "stale states": "no cache", time: "no clock" }));
  const left = ["lag", "restartWhileLagging", "stall", "jump", "dayPasses"];
  expect(left.every((name) => all.some(({ does }) => does === name))).toBe(true);
  expect(without).toEqual(all.filter(({ does }) => !left.includes(does)));
});
