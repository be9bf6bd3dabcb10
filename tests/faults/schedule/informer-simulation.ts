import { faultNames } from "../server/fault-plan.ts";
import { runSchedule } from "./run-schedule.ts";
import { schedules } from "./schedule.ts";

/** Informers against an API server that fails in every way. */
export const informerSimulation = {
  schedules,
  names: faultNames,
  command: "npm run test:faults --",
  play: runSchedule,
};
