export type { LevelSeats } from "./exposition.ts";
export { RequestCounters } from "./request-counters.ts";
