export type { LevelSeats } from "./exposition.ts";
export type { Distribution, RequestShape, ShapeLabel } from "./request-counters.ts";
export { RequestCounters } from "./request-counters.ts";
