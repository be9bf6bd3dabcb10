import type { Logger } from "@kubewright/log";

const minimumResyncMs = 1_000;

/** When one handler is due to be told of everything again. Times are the clock's monotonic milliseconds. */
export class ResyncSchedule {
  readonly requestedMs: number;
  #periodMs: number;
  #nextMs: number;
  /** Whether the resync that is under way is for this handler. */
  isDue = false;

  constructor(requestedMs: number, periodMs: number, nowMs: number) {
    this.requestedMs = requestedMs;
    this.#periodMs = periodMs;
    this.#nextMs = nowMs + periodMs;
  }

  get periodMs(): number {
    return this.#periodMs;
  }

  setPeriod(ms: number): void {
    this.#periodMs = ms;
  }

  /** Notes whether a resync is due now, and if so plans the next. */
  check(nowMs: number): boolean {
    this.isDue = this.#periodMs > 0 && nowMs >= this.#nextMs;
    if (this.isDue) this.#nextMs = nowMs + this.#periodMs;
    return this.isDue;
  }
}

/** A handler's period as it was asked for, at least a second. 0 is never. */
export function atLeastMinimum(requestedMs: number, logger: Logger): number {
  if (!(requestedMs > 0)) return 0;
  if (requestedMs >= minimumResyncMs) return requestedMs;
  logger.warn({ requestedMs, resyncMs: minimumResyncMs }, "resync period is too small, using the minimum");
  return minimumResyncMs;
}

/**
 * A handler's period, given how often the informer checks for handlers that are due.
 *
 * @see client-go tools/cache determineResyncPeriod
 */
export function fitToCheckPeriod(requestedMs: number, checkMs: number, logger: Logger): number {
  if (requestedMs === 0) return 0;
  if (checkMs === 0) {
    logger.warn({ requestedMs }, "resync period is ignored, this informer does not resync");
    return 0;
  }
  if (requestedMs >= checkMs) return requestedMs;
  logger.warn({ requestedMs, resyncMs: checkMs }, "resync period is below the informer's check period, using that");
  return checkMs;
}
