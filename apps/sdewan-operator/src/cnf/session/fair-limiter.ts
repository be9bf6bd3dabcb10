/** A task that waits for a slot. */
interface WaitingTask {
  readonly isSlow: () => boolean;
  readonly begin: () => void;
}

/**
 * Limits the number of concurrent tasks, and divides the available slots fairly among the tasks' owners. Owners take
 * turns. The last quarter of the slots is reserved for owners without a running task, and slow owners get at most half
 * of the slots, so that an owner with many or very long tasks cannot block the others.
 */
export class FairLimiter {
  readonly #slots: number;
  readonly #reserved: number;
  readonly #maxSlow: number;
  /** Waiting tasks by owner, in the order in which owners are served. */
  readonly #waiting = new Map<string, WaitingTask[]>();
  readonly #runningByOwner = new Map<string, number>();
  #running = 0;
  #slow = 0;

  /**
   * @param slots maximum number of running tasks, at least 1. Of these, `reserved` slots are for owners without a running task. Default: a
   * quarter of the slots
   */
  constructor(slots: number, { reserved = Math.floor(slots / 4) } = {}) {
    this.#slots = slots;
    this.#reserved = reserved;
    this.#maxSlow = Math.max(1, Math.floor(slots / 2));
  }

  /**
   * Runs the work as soon as a slot is free.
   *
   * @param isSlow reports whether the owner is slow; called when a slot is free
   */
  async run<T>(owner: string, isSlow: () => boolean, work: () => Promise<T>): Promise<T> {
    let slow = false;
    await new Promise<void>((resolve) => {
      const begin = (): void => {
        slow = isSlow();
        this.#count(owner, slow, 1);
        resolve();
      };
      const others = this.#waiting.get(owner);
      if (others) others.push({ isSlow, begin });
      else this.#waiting.set(owner, [{ isSlow, begin }]);
      this.#next();
    });
    try {
      return await work();
    } finally {
      this.#count(owner, slow, -1);
      this.#next();
    }
  }

  #next(): void {
    for (const [owner, waiting] of this.#waiting) {
      if (this.#running >= this.#slots) return;
      const [first] = waiting;
      if (!first || !this.#hasSlotFor(owner, first.isSlow())) continue;
      waiting.shift();
      this.#waiting.delete(owner);
      if (waiting.length > 0) this.#waiting.set(owner, waiting);
      first.begin();
    }
  }

  #hasSlotFor(owner: string, isSlow: boolean): boolean {
    if (isSlow && this.#slow >= this.#maxSlow) return false;
    const isFirst = !this.#runningByOwner.has(owner);
    return isFirst || this.#slots - this.#running > this.#reserved;
  }

  #count(owner: string, isSlow: boolean, by: 1 | -1): void {
    this.#running += by;
    if (isSlow) this.#slow += by;
    const count = (this.#runningByOwner.get(owner) ?? 0) + by;
    if (count > 0) this.#runningByOwner.set(owner, count);
    else this.#runningByOwner.delete(owner);
  }
}
