import type { ObjectKey } from "@kubewright/apimachinery";

/** What is to be reconciled: the key of an object, and nothing about what happened to it. */
export type Request = ObjectKey;

/**
 * What to do next with a request that went well. Nothing, or an empty result: it is done.
 *
 * @see controller-runtime pkg/reconcile Result
 */
export interface Result {
  /** Once more, after the rate limiter's delay, which keeps growing. */
  readonly requeue?: boolean;
  /** Once more after so long, not rate limited; wins over `requeue`. */
  readonly requeueAfterMs?: number;
  /** With which priority it is queued again. Default: the one it was taken with. */
  readonly priority?: number;
}
