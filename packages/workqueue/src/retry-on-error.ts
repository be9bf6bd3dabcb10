import { type Clock, systemClock, systemRandom } from "@kubewright/clock";

/** The number of attempts, and the waiting times between them. */
export interface RetrySteps {
  /** Total number of attempts. */
  readonly steps: number;
  /** First wait, in milliseconds. */
  readonly waitMs: number;
  /** Factor by which the wait grows. */
  readonly factor: number;
  /** Maximum random increase of a wait, as a fraction of the wait. */
  readonly jitter: number;
}

/**
 * Recommended when several clients change the same object: 5 attempts at intervals of 10 ms.
 *
 * @see client-go util/retry DefaultRetry
 */
export const defaultRetry: RetrySteps = { steps: 5, waitMs: 10, factor: 1, jitter: 0.1 };

/**
 * Recommended when a controller may be changing the same object: 4 attempts, with waiting times of 10, 50 and 250 ms.
 *
 * @see client-go util/retry DefaultBackoff
 */
export const defaultBackoff: RetrySteps = { steps: 4, waitMs: 10, factor: 5, jitter: 0.1 };

/** Options for {@link retryOnError}: the steps and the errors to retry. */
export interface RetryOptions {
  /** Total number of attempts. */
  readonly steps?: number | undefined;
  /** First wait, in milliseconds. */
  readonly waitMs?: number | undefined;
  /** Factor by which the wait grows. */
  readonly factor?: number | undefined;
  /** Maximum random increase of a wait, as a fraction of the wait. */
  readonly jitter?: number | undefined;
  /** Returns true for errors to retry. */
  readonly isRetriable: (error: unknown) => boolean;
  /** Clock. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Signal that stops retries. The last error is then thrown without another attempt. */
  readonly signal?: AbortSignal | undefined;
  /** Source of numbers in [0, 1). Default: the system's. */
  readonly random?: (() => number) | undefined;
}

/**
 * Calls `fn` until it succeeds, fails with an error that is not retriable, or has used up its attempts. The steps default to {@link
 * defaultRetry}.
 *
 * @throws the last error thrown by `fn`, unchanged
 * @see client-go util/retry OnError
 */
export async function retryOnError<R>(fn: () => Promise<R> | R, options: RetryOptions): Promise<R> {
  const {
    steps = defaultRetry.steps,
    waitMs = defaultRetry.waitMs,
    factor = defaultRetry.factor,
    jitter = defaultRetry.jitter,
    isRetriable,
    signal,
    clock = systemClock,
    random = systemRandom.number,
  } = options;
  let nextMs = waitMs;
  for (let tried = 1; ; tried++) {
    try {
      return await fn();
    } catch (error) {
      if (tried >= steps || signal?.aborted || !isRetriable(error)) throw error;
      await clock.sleep(nextMs * (1 + random() * jitter), signal);
      if (signal?.aborted) throw error;
    }
    nextMs *= factor;
  }
}
