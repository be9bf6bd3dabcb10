import { parseArgs } from "node:util";
import { idleFaults, runSchedules, tableOf } from "./schedule/run-schedules.ts";

/** Fewer schedules need not meet every fault. */
const leastForAllFaults = 1_000;

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "1000" },
    seed: { type: "string" },
    path: { type: "string" },
  },
});

function numberOf(option: "runs" | "seed", text: string): number {
  if (!/^-?\d+$/.test(text) || (option === "runs" && Number(text) < 1))
    throw new Error(`--${option} ${text}: not a number`);
  return Number(text);
}

const report = await runSchedules({
  runs: numberOf("runs", values.runs),
  seed: values.seed === undefined ? undefined : numberOf("seed", values.seed),
  path: values.path,
});
console.log(tableOf(report));
const idle = report.failure || values.path || report.runs < leastForAllFaults ? [] : idleFaults(report);
if (report.failure) console.error(report.failure);
if (idle.length > 0) console.error(`never struck: ${idle.join(", ")}`);
if (report.failure || idle.length > 0) process.exitCode = 1;
