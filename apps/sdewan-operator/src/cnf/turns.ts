/** Who waits for a place, and for whom. */
interface Waiting {
  readonly isSlow: () => boolean;
  readonly begin: () => void;
}

/**
 * So many pieces of work at a time, shared out fairly between their owners: these take turns, the last quarter of the places is for
 * those that have none yet, and no more than half of them are for slow ones. So whoever has much to do, or takes for ever to do it,
 * leaves a place to the others.
 */
export class Turns {
  readonly #places: number;
  readonly #reserved: number;
  readonly #mostSlow: number;
  /** By owner; who was served last is the last. */
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #held = new Map<string, number>();
  #running = 0;
  #slow = 0;

  /** @param places at least one; of these, `reserved` are for who has none. Default: a quarter */
  constructor(places: number, { reserved = Math.floor(places / 4) } = {}) {
    this.#places = places;
    this.#reserved = reserved;
    this.#mostSlow = Math.max(1, Math.floor(places / 2));
  }

  /** Does the work once there is a place for it. @param isSlow asked when there is one */
  async take<T>(owner: string, isSlow: () => boolean, work: () => Promise<T>): Promise<T> {
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
      if (this.#running >= this.#places) return;
      const [first] = waiting;
      if (!first || !this.#hasPlaceFor(owner, first.isSlow())) continue;
      waiting.shift();
      this.#waiting.delete(owner);
      if (waiting.length > 0) this.#waiting.set(owner, waiting);
      first.begin();
    }
  }

  #hasPlaceFor(owner: string, isSlow: boolean): boolean {
    if (isSlow && this.#slow >= this.#mostSlow) return false;
    const isFirst = !this.#held.has(owner);
    return isFirst || this.#places - this.#running > this.#reserved;
  }

  #count(owner: string, isSlow: boolean, by: 1 | -1): void {
    this.#running += by;
    if (isSlow) this.#slow += by;
    const held = (this.#held.get(owner) ?? 0) + by;
    if (held > 0) this.#held.set(owner, held);
    else this.#held.delete(owner);
  }
}
