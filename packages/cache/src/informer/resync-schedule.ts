import type { Logger } from "@kubewright/log";

const minimumResyncMs = 1_000;

/** When one handler is due for a resync. Times are the clock's monotonic milliseconds. */
export class ResyncSchedule {
  /** The period that was asked for. */
  readonly requestedMs: number;
  #periodMs: number;
  #nextMs: number;
  /** Whether the handler takes part in the resync that is under way. */
  isDue = false;

  constructor(requestedMs: number, periodMs: number, nowMs: number) {
    this.requestedMs = requestedMs;
    this.#periodMs = periodMs;
    this.#nextMs = nowMs + periodMs;
  }

  setPeriod(ms: number): void {
    this.#periodMs = ms;
  }

  /** Sets {@link isDue}, and plans the next resync if one is due now. */
  check(nowMs: number): boolean {
    this.isDue = this.#periodMs > 0 && nowMs >= this.#nextMs;
    if (this.isDue) this.#nextMs = nowMs + this.#periodMs;
    return this.isDue;
  }
}

/** The requested period, raised to one second if it is shorter. 0: never. */
export function atLeastMinimum(requestedMs: number, logger: Logger): number {
  if (!(requestedMs > 0)) return 0;
  if (requestedMs >= minimumResyncMs) return requestedMs;
  logger.warn({ requestedMs, resyncMs: minimumResyncMs }, "resync period is too small, using the minimum");
  return minimumResyncMs;
}

/**
 * The period of a handler, raised to the period in which the informer checks who is due. 0: never.
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
