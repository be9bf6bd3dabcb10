import type { Logger } from "@kubewright/log";

const minimumResyncMs = 1_000;

/** Schedule of one handler's resyncs. Times are the clock's monotonic milliseconds. */
export class ResyncSchedule {
  /** The period requested for the handler, in milliseconds. */
  readonly requestedMs: number;
  #periodMs: number;
  #nextMs: number;
  /** True if the handler takes part in the resync in progress. */
  isDue = false;

  constructor(requestedMs: number, periodMs: number, nowMs: number) {
    this.requestedMs = requestedMs;
    this.#periodMs = periodMs;
    this.#nextMs = nowMs + periodMs;
  }

  setPeriod(ms: number): void {
    this.#periodMs = ms;
  }

  /** Sets {@link isDue}, and schedules the next resync if one is due now. */
  check(nowMs: number): boolean {
    this.isDue = this.#periodMs > 0 && nowMs >= this.#nextMs;
    if (this.isDue) this.#nextMs = nowMs + this.#periodMs;
    return this.isDue;
  }
}

/** Returns the requested period, raised to one second if it is shorter. 0 means never. */
export function atLeastMinimum(requestedMs: number, logger: Logger): number {
  if (!(requestedMs > 0)) return 0;
  if (requestedMs >= minimumResyncMs) return requestedMs;
  logger.warn({ requestedMs, resyncMs: minimumResyncMs }, "resync period is too short; using the minimum");
  return minimumResyncMs;
}

/**
 * Returns the period of a handler, raised to the period in which the informer checks which handlers are due. 0 means never.
 *
 * @see client-go tools/cache determineResyncPeriod
 */
export function fitToCheckPeriod(requestedMs: number, checkMs: number, logger: Logger): number {
  if (requestedMs === 0) return 0;
  if (checkMs === 0) {
    logger.warn({ requestedMs }, "resync period is ignored: this informer does not resync");
    return 0;
  }
  if (requestedMs >= checkMs) return requestedMs;
  logger.warn(
    { requestedMs, resyncMs: checkMs },
    "resync period is shorter than the informer's check period; using the check period",
  );
  return checkMs;
}
