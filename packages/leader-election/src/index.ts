export { Elector } from "./elector.ts";
export type { ElectorEvents, ElectorMetrics } from "./elector-observers.ts";
export type { ElectorOptions } from "./elector-options.ts";
export { isNotLeadingError, NotLeadingError } from "./leadership-error.ts";
export {
  LeaseCandidate,
  type LeaseCandidateObject,
  type LeaseCandidateOptions,
  leaseCandidates,
} from "./lease-candidate.ts";
export { LeaseLock, type LeaseLockOptions, type LockEvents } from "./lease-lock.ts";
export type { LeaderElectionRecord, ResourceLock } from "./resource-lock.ts";
