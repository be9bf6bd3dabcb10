export type { LevelSeats } from "./exposition.ts";
export type { RequestShape } from "./request-counters.ts";
export { RequestCounters } from "./request-counters.ts";
