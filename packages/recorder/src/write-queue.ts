import { hasStatusCause, isAlreadyExists, isNoMatch, isStatusError } from "@kubewright/apimachinery";
import { type Clock, systemClock, systemRandom, untilAborted } from "@kubewright/clock";
import { type Logger, silentLogger } from "@kubewright/log";
import PQueue from "p-queue";

/** A write and its key. Writes with the same key are performed in order, one at a time. */
export interface PendingWrite {
  readonly key: string;
  /**
   * Performs the write. If the promise rejects, the write is retried, unless the server has rejected the event or the request cannot be
   * made (`TypeError`).
   */
  readonly write: (signal: AbortSignal) => Promise<void>;
}

export interface WriteQueueOptions {
  /** Maximum number of concurrent writes. Default 8. */
  readonly writers?: number | undefined;
  /** Maximum number of waiting writes. Further writes are dropped and logged. Default 1,000. */
  readonly maxWaiting?: number | undefined;
  /** Maximum number of attempts for a write. Default 12. */
  readonly maxTries?: number | undefined;
  /**
   * Time between two attempts in milliseconds, plus a random amount of up to a quarter of it. The first wait is a
   * random fraction of this time. Default 10,000.
   */
  readonly retryMs?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly logger?: Logger | undefined;
  /** Source of numbers in [0, 1). Default: the system's. */
  readonly random?: (() => number) | undefined;
}

/**
 * Writes events asynchronously. Network errors are retried, but a rejection by the server is final.
 *
 * @see client-go tools/events eventBroadcasterImpl, attemptRecording
 */
export class WriteQueue {
  readonly #maxWaiting: number;
  readonly #maxTries: number;
  readonly #retryMs: number;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #random: () => number;
  readonly #writers: PQueue;
  /** The last write for each key. The next write with the same key starts after it, and does not occupy a writer until then. */
  readonly #lastOf = new Map<string, Promise<void>>();
  #waiting = 0;
  readonly #stop = new AbortController();
  readonly #abandon = new AbortController();

  constructor(options: WriteQueueOptions = {}) {
    const { writers = 8, maxWaiting = 1_000, maxTries = 12, retryMs = 10_000 } = options;
    const { clock = systemClock, logger = silentLogger, random = systemRandom.number } = options;
    this.#writers = new PQueue({ concurrency: writers });
    this.#maxWaiting = maxWaiting;
    this.#maxTries = maxTries;
    this.#retryMs = retryMs;
    this.#clock = clock;
    this.#logger = logger;
    this.#random = random;
  }

  /** Adds a write. Returns false if it was dropped. */
  add({ key, write }: PendingWrite): boolean {
    if (this.#stop.signal.aborted) return false;
    if (this.#waiting >= this.#maxWaiting) {
      this.#logger.warn(
        { waiting: this.#waiting },
        "dropped an event because too many events are waiting to be written",
      );
      return false;
    }
    this.#waiting++;
    const enqueue = (): Promise<void> => this.#writers.add(() => this.#begin(write));
    const done = this.#lastOf.get(key)?.then(enqueue) ?? enqueue();
    this.#lastOf.set(key, done);
    void done.then(() => {
      if (this.#lastOf.get(key) === done) this.#lastOf.delete(key);
    });
    return true;
  }

  /**
   * Stops accepting writes, tries pending writes once more without waiting between attempts, and resolves when they are done. Writes in
   * progress are abandoned after `timeoutMs`.
   */
  async stop(timeoutMs: number): Promise<void> {
    this.#stop.abort();
    const timer = this.#clock.after(timeoutMs, () => this.#abandon.abort());
    await Promise.race([Promise.all(this.#lastOf.values()), untilAborted(this.#abandon.signal)]);
    timer.cancel();
    this.#abandon.abort();
  }

  async #begin(write: PendingWrite["write"]): Promise<void> {
    this.#waiting--;
    if (!this.#abandon.signal.aborted) await this.#write(write);
  }

  async #write(write: PendingWrite["write"]): Promise<void> {
    const logger = this.#logger;
    for (let tries = 1; ; tries++) {
      try {
        return await write(this.#abandon.signal);
      } catch (err) {
        if (isStatusError(err)) {
          const level = isAlreadyExists(err) || hasStatusCause(err, "NamespaceTerminating") ? "debug" : "error";
          return logger[level]({ err }, "server rejected event (will not retry)");
        }
        if (isUnmakeable(err)) return logger.error({ err }, "unable to construct event (will not retry)");
        if (tries >= this.#maxTries || this.#stop.signal.aborted)
          return logger.error({ err, tries }, "unable to write event (gave up)");
        logger.warn({ err, tries }, "unable to write event (may retry after sleeping)");
      }
      const share = tries === 1 ? this.#random() : 1 + this.#random() / 4;
      await this.#clock.sleep(this.#retryMs * share, this.#stop.signal);
    }
  }
}

/** Reports whether a retry would fail in the same way, because the request cannot be made. */
const isUnmakeable = (error: unknown): boolean => error instanceof TypeError || isNoMatch(error);
