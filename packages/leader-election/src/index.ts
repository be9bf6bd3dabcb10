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
export type { LeaderElectionRecord, Observed, ResourceLock } from "./resource-lock.ts";
export {
  ShardCoordinator,
  type ShardCoordinatorOptions,
  type ShardInspection,
  type ShardMetrics,
  type ShardNamespaces,
  type ShardsInspection,
  type ShardTerm,
  type ShardWorker,
} from "./shard-coordinator.ts";
export { type ShardBy, shardOf } from "./shards.ts";
