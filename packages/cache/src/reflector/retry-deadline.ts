import type { Clock } from "@kubewright/clock";

/** Errors that a {@link RetryDeadline} applies to, and its limits. */
export interface RetryDeadlineOptions {
  /** Time from the first error for which errors are retried, in milliseconds. 0 disables retries. */
  readonly maxMs: number;
  /** Time without an error, in milliseconds, after which the next error counts as the first. */
  readonly minResetMs: number;
  /** Returns true for errors to retry. Other errors neither count nor end a series. */
  readonly isRetriable: (error: unknown) => boolean;
  readonly clock: Clock;
}

/**
 * Limits the time for which errors of one kind are retried.
 *
 * @see client-go tools/cache NewRetryWithDeadline
 */
export class RetryDeadline {
  readonly #options: RetryDeadlineOptions;
  #firstErrorMs: number | undefined;
  #lastErrorMs = 0;

  constructor(options: RetryDeadlineOptions) {
    this.#options = options;
  }

  /** Records an outcome; `undefined` means success. */
  after(error: unknown): void {
    const { isRetriable, clock, minResetMs } = this.#options;
    if (error === undefined || !isRetriable(error)) return;
    const now = clock.monotonic();
    if (this.#firstErrorMs === undefined || now - this.#lastErrorMs >= minResetMs) this.#firstErrorMs = now;
    this.#lastErrorMs = now;
  }

  /** Reports whether to retry the last error. */
  shouldRetry(): boolean {
    const { maxMs, clock } = this.#options;
    if (maxMs <= 0 || this.#firstErrorMs === undefined) return false;
    if (clock.monotonic() - this.#firstErrorMs <= maxMs) return true;
    this.#firstErrorMs = undefined;
    return false;
  }
}
