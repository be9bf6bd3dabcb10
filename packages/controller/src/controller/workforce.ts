/**
 * Starts workers on demand: one worker is waiting for work as long as fewer than `most` exist. A controller may allow hundreds of workers
 * without ever having work for them, and each waiting worker takes memory.
 */
export class Workforce {
  readonly #most: number;
  readonly #work: () => Promise<void>;
  readonly #ended = Promise.withResolvers<void>();
  readonly #failure = Promise.withResolvers<never>();
  #hired = 0;
  #waiting = 0;

  /** @param work run by each worker until there is no more work. It calls {@link busy} and {@link free} as its state changes. */
  constructor(most: number, work: () => Promise<void>) {
    this.#most = most;
    this.#work = work;
  }

  /** Starts with one worker. Settles when all have ended, or one has failed: others may then continue, until {@link ended}. */
  run(): Promise<void> {
    this.#hire();
    return Promise.race([this.#ended.promise, this.#failure.promise]);
  }

  /** Resolves when all have ended, failed or not. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** Must be called when a worker takes work. */
  busy(): void {
    this.#waiting--;
    if (this.#waiting === 0 && this.#hired < this.#most) this.#hire();
  }

  /** Must be called when a worker has finished its work. */
  free(): void {
    this.#waiting++;
  }

  #hire(): void {
    this.#hired++;
    this.#waiting++;
    this.#work()
      .catch(this.#failure.reject)
      .then(() => this.#leave());
  }

  #leave(): void {
    this.#hired--;
    this.#waiting--;
    if (this.#hired === 0) this.#ended.resolve();
  }
}
