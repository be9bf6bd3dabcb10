import { runSchedule, strikeNames } from "./run-schedule.ts";
import { schedules } from "./schedule.ts";

/** Replicas that change their certificate authority under the eyes of API servers that hear of it late. */
export const certificateSimulation = {
  schedules,
  names: strikeNames,
  command: "npm run test:faults -- --webhooks",
  play: runSchedule,
};
