export { DelayingQueue } from "./delaying-queue.ts";
export { ItemBackoff, type ItemBackoffOptions } from "./item-backoff.ts";
export { type ParallelizeOptions, parallelizeUntil } from "./parallelize-until.ts";
export {
  type Prioritized,
  type PriorityAddOptions,
  PriorityQueue,
  type PriorityQueueOptions,
  type WaitingItem,
} from "./priority-queue.ts";
export { type Causes, Queue, type QueueOptions, type QueueOrder } from "./queue.ts";
export {
  priorityLabels,
  type QueueMeter,
  type QueueMetrics,
  type QueueMetricsProvider,
} from "./queue-metrics.ts";
export {
  bucket,
  defaultControllerRateLimiter,
  defaultItemBasedRateLimiter,
  type ExponentialFailureOptions,
  exponentialFailure,
  type FastSlowOptions,
  fastSlow,
  maxOf,
  type RateLimiter,
  withMaxWait,
} from "./rate-limiters.ts";
export { RateLimitingQueue, type RateLimitingQueueOptions } from "./rate-limiting-queue.ts";
export { defaultBackoff, defaultRetry, type RetryOptions, type RetrySteps, retryOnError } from "./retry-on-error.ts";
export { alwaysAccept, neverAccept, type Throttle, TokenBucket, type TokenBucketOptions } from "./token-bucket.ts";
export type { WorkQueue } from "./work-queue.ts";
