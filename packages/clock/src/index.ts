export { Backoff, type BackoffOptions } from "./backoff.ts";
export {
  type Clock,
  nextTurn,
  onNextTurn,
  rfc3339,
  rfc3339Micro,
  sleepOn,
  systemClock,
  type Timer,
  timeoutSignal,
  untilAborted,
  withPromiseTurns,
} from "./clock.ts";
export { EventLoopShare } from "./event-loop-share.ts";
export { type Random, systemRandom } from "./random.ts";
