import { runSchedule, strikeNames } from "./run-schedule.ts";
import { schedules } from "./schedule.ts";

/** Replicas that rotate their certificate authority while API servers learn of it late. */
export const certificateSimulation = {
  schedules,
  names: strikeNames,
  command: "npm run test:faults -- --webhooks",
  play: runSchedule,
};
