import type { Clock } from "@kubewright/clock";
import { errorText, type Logger } from "@kubewright/log";

export interface RefreshLoopOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly intervalMs: number;
  readonly staleAfterMs: number;
  /** Name of the resource that is read, for messages. */
  readonly what: string;
  /** Reads the state and makes at most one change. Resolves to true if there may be more to do immediately. */
  turn(signal: AbortSignal): Promise<boolean>;
}

/** Timeout for a turn, in case a server does not respond. */
const turnTimeoutMs = 30_000;
/** Maximum number of turns without a pause. */
const turnsAtOnce = 10;
const pauseMs = 1_000;

/** Runs a task repeatedly, even after failures, and tracks the age of the information that the task obtains. */
export class RefreshLoop {
  readonly #options: RefreshLoopOptions;
  #freshAtMs: number | undefined;
  /** Time at which the information was last current. Uses the wall clock, which keeps running while a machine sleeps. */
  #freshAtWallMs = 0;
  #obstacle: string | undefined;

  constructor(options: RefreshLoopOptions) {
    this.#options = options;
  }

  /** Error of the last run; `undefined` if it succeeded. */
  get obstacle(): string | undefined {
    return this.#obstacle;
  }

  /**
   * Records that the information was current at `atMs` of the monotonic clock. Pass the time of the request, because the response may have
   * been delayed.
   */
  refreshed(atMs: number): void {
    const { clock } = this.#options;
    this.#freshAtMs = atMs;
    this.#freshAtWallMs = clock.now() - (clock.monotonic() - atMs);
  }

  /** Checks the age of the information. @throws {Error} if it is too old */
  check(): void {
    const { clock, staleAfterMs, what } = this.#options;
    const elapsedMs = clock.monotonic() - (this.#freshAtMs ?? Number.NEGATIVE_INFINITY);
    const ageMs = Math.max(elapsedMs, clock.now() - this.#freshAtWallMs);
    if (ageMs < staleAfterMs) return;
    const why = this.#obstacle ? `: ${this.#obstacle}` : "";
    throw new Error(
      `${what} has not been read for ${Math.round(ageMs / 1_000)} s; the certificate may no longer be trusted${why}`,
    );
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, intervalMs } = this.#options;
    let atOnce = 0;
    while (!signal.aborted) {
      const isMore = await this.#turn(signal);
      atOnce = isMore ? atOnce + 1 : 0;
      if (isMore && atOnce < turnsAtOnce) continue;
      await clock.sleep(isMore ? Math.min(pauseMs, intervalMs) : intervalMs, signal);
      atOnce = 0;
    }
  }

  async #turn(signal: AbortSignal): Promise<boolean> {
    const { clock, logger, what, turn } = this.#options;
    const late = new AbortController();
    const timer = clock.after(turnTimeoutMs, () =>
      late.abort(new Error(`no response within ${turnTimeoutMs / 1_000} s`)),
    );
    try {
      const isMore = await turn(AbortSignal.any([signal, late.signal]));
      this.#obstacle = undefined;
      return isMore;
    } catch (err) {
      if (signal.aborted) return false;
      const text = errorText(err);
      if (text !== this.#obstacle) logger.error({ err, what }, "failed to update certificates; retrying");
      this.#obstacle = text;
      return false;
    } finally {
      timer.cancel();
    }
  }
}
