import { runSchedule, strikeNames } from "./run-schedule.ts";
import { schedules } from "./schedule.ts";

/** Processes that compete for one Lease. */
export const leaderSimulation = {
  schedules,
  names: strikeNames,
  command: "npm run test:faults -- --leader",
  play: runSchedule,
};
