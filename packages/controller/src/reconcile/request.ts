import type { ObjectKey } from "@kubewright/apimachinery";

/** A request for a reconcile: the key of an object, without any information about the change. */
export type Request = ObjectKey;

/**
 * Result of a successful reconcile. With nothing, or an empty result, the request is done.
 *
 * @see controller-runtime pkg/reconcile Result
 */
export interface Result {
  /** Reconciles again after the rate limiter's delay, which keeps growing. */
  readonly requeue?: boolean;
  /** Reconciles again after this many milliseconds, without rate limiting; takes precedence over `requeue`. */
  readonly requeueAfterMs?: number;
  /** Priority with which it is queued again. Default: that with which it was taken. */
  readonly priority?: number;
}
