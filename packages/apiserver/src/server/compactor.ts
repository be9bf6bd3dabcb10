import type { Clock, Timer } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { Storage } from "@kubewright/storage";

/**
 * Periodically removes old history from the storage. An entry is removed when it is one to two intervals old.
 *
 * @see apiserver pkg/storage/etcd3 compactor
 */
export class Compactor implements Disposable {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #intervalMs: number;
  #timer: Timer | undefined;
  #seen: number;

  constructor(storage: Storage, intervalMs: number, clock: Clock, logger: Logger) {
    this.#storage = storage;
    this.#clock = clock;
    this.#logger = logger;
    this.#intervalMs = intervalMs;
    this.#seen = storage.currentResourceVersion();
    this.#arm();
  }

  stop(): void {
    this.#timer?.cancel();
  }

  [Symbol.dispose](): void {
    this.stop();
  }

  #arm(): void {
    this.#timer = this.#clock.after(this.#intervalMs, () => this.#tick(), { unref: true });
  }

  #tick(): void {
    const through = Math.min(this.#seen, this.#storage.currentResourceVersion());
    this.#seen = this.#storage.currentResourceVersion();
    this.#arm();
    // if several servers share an etcd cluster, another server may have compacted the history first
    this.#storage
      .compact(String(through))
      .catch((err: unknown) => this.#logger.debug({ err, through }, "cannot compact the history"));
  }
}
