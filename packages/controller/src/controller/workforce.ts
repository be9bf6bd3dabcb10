/**
 * Workers as they are needed: one waits for work as long as fewer than `most` are there. A controller may allow hundreds at a time
 * that it never has work for, and each that waits takes memory.
 */
export class Workforce {
  readonly #most: number;
  readonly #work: () => Promise<void>;
  readonly #ended = Promise.withResolvers<void>();
  readonly #failure = Promise.withResolvers<never>();
  #hired = 0;
  #waiting = 0;

  /** @param work what a worker does until there is nothing more to do. It says when it is {@link busy} and when {@link free} again */
  constructor(most: number, work: () => Promise<void>) {
    this.#most = most;
    this.#work = work;
  }

  /** Begins with one. Settles when all have ended, or one has failed: others may work on then, until {@link ended}. */
  run(): Promise<void> {
    this.#hire();
    return Promise.race([this.#ended.promise, this.#failure.promise]);
  }

  /** Resolves when all have ended, failed or not. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** A worker has something to do. */
  busy(): void {
    this.#waiting--;
    if (this.#waiting === 0 && this.#hired < this.#most) this.#hire();
  }

  /** It is done with that. */
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
