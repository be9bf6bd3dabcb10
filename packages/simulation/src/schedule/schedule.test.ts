import { expect, it } from "vitest";
import { scheduleOf } from "./schedule.ts";

it("leaves out the steps of a class, and keeps the others as they are", () => {
  const numbers = Array.from({ length: 50 }, (_, number) => number);
  const all = numbers.flatMap((number) => scheduleOf(1, number));
  const without = numbers.flatMap((number) => scheduleOf(1, number, { "stale states": "no cache", time: "no clock" }));
  const left = ["lag", "restartWhileLagging", "shortLife", "deleteWhileDown", "stall", "jump", "dayPasses"];
  expect(left.every((name) => all.some(({ does }) => does === name))).toBe(true);
  expect(without).toEqual(all.filter(({ does }) => !left.includes(does)));
});

it("kills the program again and again in one of five schedules", () => {
  const kills = [...Array(10).keys()].map(
    (number) => scheduleOf(1, number).filter(({ does }) => /^kill(Before|After)Write$/.test(does)).length,
  );
  expect([kills[4], kills[9]]).toEqual([7, 7]);
  expect(Math.max(...kills.filter((_, number) => number % 5 !== 4))).toBeLessThan(7);
});

it("lets replicas take over from each other in one of twenty schedules", () => {
  const steps = scheduleOf(1, 7).map(({ does }) => does);
  expect(steps.filter((does) => does === "addReplica")).toHaveLength(5);
  expect(steps.filter((does) => does === "stall" || does === "restart")).toHaveLength(5);
  expect(scheduleOf(1, 7, { time: "no clock" }).some(({ does }) => does === "stall")).toBe(false);
  expect(scheduleOf(1, 27, { "intermediate states": "no kills" }).some(({ does }) => does === "addReplica")).toBe(
    false,
  );
});

it("numbers the steps of a schedule, and begins with an object", () => {
  for (let number = 0; number < 10; number++) {
    const steps = scheduleOf(2, number);
    expect(steps.map((step) => step.number)).toEqual([...steps.keys()]);
    expect(steps[0]?.does).toBe("create");
  }
});
