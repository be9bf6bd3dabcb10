import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";

/** Maximum number of failures that are logged in each {@link windowMs}. */
const most = 50;
const windowMs = 10_000;

/**
 * Logs failed calls. Any peer that can connect to the server can cause failures, so only 50 are logged within ten seconds.
 * The next line states how many failures were not logged. They are logged at debug level instead.
 */
export class FailureLog {
  readonly #clock: Clock;
  #sinceMs = Number.NEGATIVE_INFINITY;
  #logged = 0;
  #unlogged = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  error(
    logger: Logger,
    fields: { readonly err: unknown; readonly path?: string; readonly requestID?: string },
    message: string,
  ): void {
    const now = this.#clock.monotonic();
    if (now - this.#sinceMs >= windowMs) {
      this.#sinceMs = now;
      this.#logged = 0;
    }
    if (this.#logged >= most) {
      this.#unlogged++;
      return void logger.debug(fields, message);
    }
    this.#logged++;
    const before = this.#unlogged > 0 ? { unloggedFailures: this.#unlogged } : {};
    this.#unlogged = 0;
    logger.error({ ...fields, ...before }, message);
  }
}
