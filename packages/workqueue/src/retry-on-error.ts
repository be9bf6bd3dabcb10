import { type Clock, systemClock } from "@kubewright/clock";

/** The number of attempts and the waits between them. */
export interface RetrySteps {
  /** Total number of attempts. */
  readonly steps: number;
  /** First wait, in milliseconds. */
  readonly waitMs: number;
  /** Factor by which each wait exceeds the previous one. */
  readonly factor: number;
  /** Maximum share of a wait that is added to it at random. */
  readonly jitter: number;
}

/**
 * Steps for a change that several clients make at the same time: 5 attempts, 10 ms apart.
 *
 * @see client-go util/retry DefaultRetry
 *
 */
export const defaultRetry: RetrySteps = { steps: 5, waitMs: 10, factor: 1, jitter: 0.1 };

/**
 * Steps for a change that competes with a controller: 4 attempts, 10, 50 and 250 ms apart.
 *
 * @see client-go util/retry DefaultBackoff
 *
 */
export const defaultBackoff: RetrySteps = { steps: 4, waitMs: 10, factor: 5, jitter: 0.1 };

type PartialSteps = { readonly [Step in keyof RetrySteps]?: RetrySteps[Step] | undefined };

/** Options of {@link retryOnError}: the steps and the errors to retry. */
export interface RetryOptions extends PartialSteps {
  /** Returns true for errors to retry. */
  readonly isRetriable: (error: unknown) => boolean;
  /** The clock to use. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Stops retries when it aborts: the last error is thrown without another attempt. */
  readonly signal?: AbortSignal | undefined;
  /** Source of numbers in [0, 1), for tests. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/**
 * Calls `fn` until it succeeds, fails with an error that is not retriable, or has used up its attempts. The steps
 * default to {@link defaultRetry}.
 *
 * @throws the last error of `fn`, unchanged
 * @see client-go util/retry OnError
 *
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
    random = Math.random,
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
