export type { CauseOptions } from "./collections/cause-book.ts";
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
export { Queue, type QueueOptions, type QueueOrder } from "./queue.ts";
export {
  maxPriorityLabels,
  otherPriorities,
  priorityLabels,
  type QueueMetrics,
  type QueueMetricsProvider,
} from "./queue-metrics.ts";
export { bucket } from "./rate-limiter/bucket.ts";
export { defaultControllerRateLimiter, defaultItemBasedRateLimiter } from "./rate-limiter/default-limiters.ts";
export { type ExponentialFailureOptions, exponentialFailure } from "./rate-limiter/exponential-failure.ts";
export { type FastSlowOptions, fastSlow } from "./rate-limiter/fast-slow.ts";
export { maxOf } from "./rate-limiter/max-of.ts";
export type { RateLimiter } from "./rate-limiter/rate-limiter.ts";
export {
  alwaysAccept,
  neverAccept,
  type Throttle,
  TokenBucket,
  type TokenBucketOptions,
} from "./rate-limiter/token-bucket.ts";
export { withMaxWait } from "./rate-limiter/with-max-wait.ts";
export { RateLimitingQueue, type RateLimitingQueueOptions } from "./rate-limiting-queue.ts";
export { defaultBackoff, defaultRetry, type RetryOptions, type RetrySteps, retryOnError } from "./retry-on-error.ts";
export type { WorkQueue } from "./work-queue.ts";
