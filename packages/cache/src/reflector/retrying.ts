import { isExpired } from "@kubewright/apimachinery";
import { Backoff, type Clock, systemRandom } from "@kubewright/clock";
import { errorText, type Logger } from "@kubewright/log";
import { noMatchIn } from "./watch-errors.ts";

/** Options for a {@link ReflectorBackoff}. */
export interface ReflectorBackoffOptions {
  /** First delay in milliseconds. Default 800. */
  readonly baseMs?: number | undefined;
  /** Maximum delay in milliseconds, before jitter. Default 30,000. */
  readonly maxMs?: number | undefined;
  /** Factor by which the delay grows. Default 2. */
  readonly factor?: number | undefined;
  /** Maximum random increase of a delay, as a fraction of the delay. Default 1, which at most doubles the delay. */
  readonly jitter?: number | undefined;
  /** Time without a delay, in milliseconds, after which the delays start over. Default 120,000. */
  readonly resetMs?: number | undefined;
  /** Source of numbers in [0, 1). Default: the system's. */
  readonly random?: (() => number) | undefined;
}

/**
 * Delays between a reflector's retries. They grow while failures continue, and are jittered so that many clients do not reconnect at the
 * same time.
 *
 * @see client-go tools/cache/reflector.go defaultBackoffInit, defaultBackoffMax, defaultBackoffReset
 */
export class ReflectorBackoff {
  readonly #clock: Clock;
  readonly #backoff: Backoff;
  readonly #resetMs: number;
  #lastUsedMs: number;

  constructor(clock: Clock, options: ReflectorBackoffOptions = {}) {
    const {
      baseMs = 800,
      maxMs = 30_000,
      factor = 2,
      jitter = 1,
      resetMs = 120_000,
      random = systemRandom.number,
    } = options;
    this.#clock = clock;
    this.#backoff = new Backoff({ baseMs, maxMs, factor, jitter, random });
    this.#resetMs = resetMs;
    this.#lastUsedMs = clock.monotonic();
  }

  /** Waits for the next delay or until the signal aborts. */
  async wait(signal: AbortSignal): Promise<void> {
    const now = this.#clock.monotonic();
    if (now - this.#lastUsedMs > this.#resetMs) this.#backoff.reset();
    this.#lastUsedMs = now;
    await this.#clock.sleep(this.#backoff.next(), signal);
  }
}

/** Options for a {@link RetryDeadline}: the limit, and the errors to which it applies. */
export interface RetryDeadlineOptions {
  /** Time after the first error during which errors are retried, in milliseconds. 0 disables retries. */
  readonly maxMs: number;
  /** Time without an error, in milliseconds, after which the next error counts as the first one again. */
  readonly minResetMs: number;
  /** Returns true for errors to retry. Other errors are not counted and do not end a series. */
  readonly isRetriable: (error: unknown) => boolean;
  readonly clock: Clock;
}

/**
 * Limits how long errors of one type are retried.
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

  /** Records an outcome. `undefined` means success. */
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

interface WatchErrorReportsOptions {
  readonly logger: Logger;
  /** Called instead of logging. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Number of failed attempts after which a server counts as down. A restart takes a few seconds. */
const triesOfRestart = 4;

/** Reports errors that interrupt listing and watching. Stores the last error until the server responds. */
export class WatchErrorReports {
  readonly #options: WatchErrorReportsOptions;
  /** True if {@link clear} would have no effect. */
  isClear = false;
  #last: unknown;
  #isKnownUnserved = false;
  #hasAnswered = false;
  #unansweredTries = 0;

  constructor(options: WatchErrorReportsOptions) {
    this.#options = options;
  }

  get last(): unknown {
    return this.#last;
  }

  /** Must be called after the server has responded. */
  clear(): void {
    this.isClear = true;
    this.#last = undefined;
    this.#isKnownUnserved = false;
    this.#hasAnswered = true;
    this.#unansweredTries = 0;
  }

  /**
   * Records an error that is retried automatically because the server is unavailable or busy. Logs one warning without a stack trace:
   * immediately if the server has never responded, otherwise after several attempts, because the server may be restarting.
   */
  retried(error: unknown): void {
    this.isClear = false;
    this.#last = error;
    if (++this.#unansweredTries !== (this.#hasAnswered ? triesOfRestart : 1)) return;
    const reason = errorText(error);
    this.#options.logger.warn({ reason }, "the API server does not respond; retrying");
  }

  report(error: unknown): void {
    const { logger, onError } = this.#options;
    this.isClear = false;
    this.#last = error;
    const noMatch = noMatchIn(error);
    try {
      if (onError) onError(error);
      else if (noMatch) this.#reportUnserved(noMatch);
      else if (isExpired(error)) logger.debug({ err: error }, "watch closed");
      else logger.error({ err: error }, "failed to watch");
    } catch (err) {
      logger.error({ err }, "the watch error handler threw");
    }
  }

  /** Logs one warning without a stack trace: the reason contains the remedy, and it may take long until the CRD is installed. */
  #reportUnserved({ message: reason }: Error): void {
    this.#options.logger[this.#isKnownUnserved ? "debug" : "warn"]({ reason }, "the kind is not served");
    this.#isKnownUnserved = true;
  }
}
