import { type Clock, systemClock } from "@kubewright/clock";

/** How often to try, and how long to wait between tries. */
export interface RetrySteps {
  /** How many tries in all. */
  readonly steps: number;
  /** The first wait. */
  readonly waitMs: number;
  /** Each wait is this many times the one before. */
  readonly factor: number;
  /** Each wait is lengthened by a random share of up to this much of it. */
  readonly jitter: number;
}

/**
 * For a change that several clients make at once: 5 tries, 10 ms apart.
 *
 * @see client-go util/retry DefaultRetry
 */
export const defaultRetry: RetrySteps = { steps: 5, waitMs: 10, factor: 1, jitter: 0.1 };

/**
 * For a change that a controller contends for: 4 tries, 10, 50 and 250 ms apart.
 *
 * @see client-go util/retry DefaultBackoff
 */
export const defaultBackoff: RetrySteps = { steps: 4, waitMs: 10, factor: 5, jitter: 0.1 };

type PartialSteps = { readonly [Step in keyof RetrySteps]?: RetrySteps[Step] | undefined };

/** How {@link retryOnError} tries, and which errors are worth it. */
export interface RetryOptions extends PartialSteps {
  /** Only these errors are worth another try. */
  readonly isRetriable: (error: unknown) => boolean;
  /** Default: the machine's. */
  readonly clock?: Clock | undefined;
  /** Once it aborts, the last error is thrown without another try. */
  readonly signal?: AbortSignal | undefined;
  /** A source of numbers in [0, 1), for tests. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/**
 * Calls `fn` until it succeeds, fails with an error that is not retriable, or has been tried often enough; steps default to
 * {@link defaultRetry}.
 *
 * @throws the last error of `fn`, unchanged
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
