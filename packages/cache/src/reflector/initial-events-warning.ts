import type { Clock, Timer } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { WatchStream } from "./watch-stream.ts";

const defaultIntervalMs = 10_000;

/**
 * Logs a warning repeatedly until {@link stop} while the bookmark that ends a stream's initial events is missing.
 *
 * @see client-go tools/cache initialEventsEndBookmarkTicker
 */
export class InitialEventsWarning {
  readonly #stream: Pick<WatchStream<unknown>, "openedMs" | "lastEventMs">;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #intervalMs: number;
  #timer: Timer | undefined;

  constructor(
    stream: Pick<WatchStream<unknown>, "openedMs" | "lastEventMs">,
    clock: Clock,
    logger: Logger,
    intervalMs = defaultIntervalMs,
  ) {
    this.#stream = stream;
    this.#clock = clock;
    this.#logger = logger;
    this.#intervalMs = intervalMs;
    this.#arm();
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #arm(): void {
    this.#timer = this.#clock.after(this.#intervalMs, () => this.#onTick(), { unref: true });
  }

  #onTick(): void {
    const { openedMs, lastEventMs } = this.#stream;
    const silentMs = this.#clock.monotonic() - (lastEventMs ?? openedMs);
    const what = "still waiting for the bookmark that ends the initial events";
    if (lastEventMs === undefined) this.#logger.warn({ sinceStartMs: silentMs }, `${what}, no event received`);
    else if (silentMs >= this.#intervalMs) this.#logger.warn({ sinceLastEventMs: silentMs }, what);
    this.#arm();
  }
}
