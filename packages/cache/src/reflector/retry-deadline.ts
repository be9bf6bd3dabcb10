import type { Clock } from "@kubewright/clock";

/** Which errors a {@link RetryDeadline} is about, and for how long. */
export interface RetryDeadlineOptions {
  /** For how long errors are retried, in milliseconds from the first one. 0 retries none. */
  readonly maxMs: number;
  /** After so long without an error the next one counts as the first. */
  readonly minResetMs: number;
  /** Errors that are not neither count nor end a series. */
  readonly isRetriable: (error: unknown) => boolean;
  readonly clock: Clock;
}

/**
 * Limits for how long errors of one kind are retried.
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

  /** Takes each outcome; `undefined` is success. */
  after(error: unknown): void {
    const { isRetriable, clock, minResetMs } = this.#options;
    if (error === undefined || !isRetriable(error)) return;
    const now = clock.monotonic();
    if (this.#firstErrorMs === undefined || now - this.#lastErrorMs >= minResetMs) this.#firstErrorMs = now;
    this.#lastErrorMs = now;
  }

  /** Whether to retry the last error. */
  shouldRetry(): boolean {
    const { maxMs, clock } = this.#options;
    if (maxMs <= 0 || this.#firstErrorMs === undefined) return false;
    if (clock.monotonic() - this.#firstErrorMs <= maxMs) return true;
    this.#firstErrorMs = undefined;
    return false;
  }
}
