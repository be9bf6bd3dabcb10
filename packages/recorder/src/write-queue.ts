import { hasStatusCause, isAlreadyExists, isStatusError } from "@kubewright/apimachinery";
import { type Clock, systemClock } from "@kubewright/clock";
import { type Logger, silentLogger } from "@kubewright/log";

/** One write, under a key: writes of the same key happen one after the other, in order. */
export interface PendingWrite {
  readonly key: string;
  /** Rejecting with anything but a refusal by the server means: try again later. */
  readonly write: (signal: AbortSignal) => Promise<void>;
}

export interface WriteQueueOptions {
  /** So many writes at a time. Default 8. */
  readonly writers?: number | undefined;
  /** What comes when so many wait is dropped, with a log line. Default 1000. */
  readonly maxWaiting?: number | undefined;
  /** Tries in total. Default 12. */
  readonly maxTries?: number | undefined;
  /** Between two tries; up to a quarter more. The first wait is a random part of it. Default 10,000 ms. */
  readonly retryMs?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly logger?: Logger | undefined;
  /** Numbers in [0, 1), for tests. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/**
 * Writes events behind the program's back. Network troubles are waited out; a refusal by the server is final.
 *
 * @see client-go tools/events eventBroadcasterImpl, attemptRecording
 */
export class WriteQueue {
  readonly #writers: number;
  readonly #maxWaiting: number;
  readonly #maxTries: number;
  readonly #retryMs: number;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #random: () => number;
  readonly #waiting: PendingWrite[] = [];
  readonly #busyKeys = new Set<string>();
  readonly #running = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  readonly #abandon = new AbortController();

  constructor(options: WriteQueueOptions = {}) {
    const { writers = 8, maxWaiting = 1_000, maxTries = 12, retryMs = 10_000 } = options;
    const { clock = systemClock, logger = silentLogger, random = Math.random } = options;
    this.#writers = writers;
    this.#maxWaiting = maxWaiting;
    this.#maxTries = maxTries;
    this.#retryMs = retryMs;
    this.#clock = clock;
    this.#logger = logger;
    this.#random = random;
  }

  /** False if the write was dropped. */
  add(write: PendingWrite): boolean {
    if (this.#stop.signal.aborted) return false;
    if (this.#waiting.length >= this.#maxWaiting) {
      this.#logger.warn({ waiting: this.#waiting.length }, "dropped an event as too many wait to be written");
      return false;
    }
    this.#waiting.push(write);
    this.#startNext();
    return true;
  }

  /**
   * Takes nothing more, tries once more what is there, and resolves when that is over. Nothing is waited for between tries, and
   * after `timeoutMs` what is still under way is abandoned.
   */
  async stop(timeoutMs: number): Promise<void> {
    this.#stop.abort();
    const timer = this.#clock.after(timeoutMs, () => this.#abandon.abort());
    while (this.#running.size > 0 && !this.#abandon.signal.aborted) {
      await Promise.race([Promise.all(this.#running), aborted(this.#abandon.signal)]);
    }
    timer.cancel();
    this.#abandon.abort();
    this.#waiting.length = 0;
  }

  #startNext(): void {
    while (this.#running.size < this.#writers) {
      const at = this.#waiting.findIndex(({ key }) => !this.#busyKeys.has(key));
      const [next] = at < 0 ? [] : this.#waiting.splice(at, 1);
      if (!next) return;
      this.#busyKeys.add(next.key);
      const run = this.#write(next).finally(() => {
        this.#busyKeys.delete(next.key);
        this.#running.delete(run);
        this.#startNext();
      });
      this.#running.add(run);
    }
  }

  async #write({ write }: PendingWrite): Promise<void> {
    const logger = this.#logger;
    for (let tries = 1; ; tries++) {
      try {
        return await write(this.#abandon.signal);
      } catch (err) {
        if (isStatusError(err)) {
          const level = isAlreadyExists(err) || hasStatusCause(err, "NamespaceTerminating") ? "debug" : "error";
          return logger[level]({ err }, "server rejected event (will not retry)");
        }
        if (tries >= this.#maxTries || this.#stop.signal.aborted)
          return logger.error({ err, tries }, "unable to write event (gave up)");
        logger.warn({ err, tries }, "unable to write event (may retry after sleeping)");
      }
      const share = tries === 1 ? this.#random() : 1 + this.#random() / 4;
      await this.#clock.sleep(this.#retryMs * share, this.#stop.signal);
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
