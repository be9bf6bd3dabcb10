export { Backoff, type BackoffOptions } from "./backoff.ts";
export { type Clock, rfc3339, rfc3339Micro, sleepOn, systemClock, type Timer, untilAborted } from "./clock.ts";
export { EventLoopShare } from "./event-loop-share.ts";
