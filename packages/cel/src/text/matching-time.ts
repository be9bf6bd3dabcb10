/** How long matching may hold up the event loop before others get their turn. */
const maxMs = 2_000;

/**
 * The time that regular expressions have taken since the event loop last turned. A request may match thousands of texts in one go, each
 * of them cheap enough: together they are bounded here.
 */
export class MatchingTime {
  #usedMs = 0;
  #isToBeReset = false;

  get usedMs(): number {
    return this.#usedMs;
  }

  get isUsedUp(): boolean {
    return this.#usedMs > maxMs;
  }

  /** Runs something and adds what it takes. */
  measure<T>(work: () => T): T {
    if (!this.#isToBeReset) {
      this.#isToBeReset = true;
      setImmediate(() => this.#reset());
    }
    const start = performance.now();
    try {
      return work();
    } finally {
      this.#usedMs += performance.now() - start;
    }
  }

  #reset(): void {
    this.#usedMs = 0;
    this.#isToBeReset = false;
  }
}
