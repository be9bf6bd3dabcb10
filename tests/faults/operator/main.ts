import { parseArgs } from "node:util";
import { chaosTable, playSchedules } from "./play-schedules.ts";
import { runSchedule } from "./run-schedule.ts";
import { scheduleOf } from "./schedule.ts";

const { values } = parseArgs({
  options: {
    schedules: { type: "string", default: "1000" },
    seed: { type: "string" },
    schedule: { type: "string" },
    look: { type: "string" },
    "keep-going": { type: "boolean", default: false },
  },
});

function numberOf(option: keyof typeof values, text: string, least: number): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) < least)
    throw new Error(`--${option} ${text}: want a number from ${least}`);
  return Number(text);
}

const seed = values.seed === undefined ? Math.floor(Math.random() * 1_000_000) : numberOf("seed", values.seed, 0);

if (values.schedule === undefined) {
  const count = numberOf("schedules", values.schedules, 1);
  const report = await playSchedules({
    seed,
    count,
    goesOn: values["keep-going"],
    onFailure: (text) => console.error(text),
  });
  console.log(chaosTable(report));
  if (report.failures > 0) process.exitCode = 1;
} else {
  const number = numberOf("schedule", values.schedule, 0);
  const schedule = scheduleOf(seed, number);
  console.log(`schedule ${number} of seed ${seed}, --cnf-namespaces=${schedule.cnfNamespaces}`);
  const { problems, settledMs } = await runSchedule(schedule, {
    trace: (line) => console.log(line),
    look: values.look,
  });
  console.log(`settled after ${settledMs / 1_000} s`);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}
