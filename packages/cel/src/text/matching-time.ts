import { onNextTurn, systemClock } from "@kubewright/clock";

/** Maximum time in milliseconds for which matching may block the event loop before other work runs. */
const maxMs = 2_000;

/**
 * The time that regular expressions have taken in the current turn of the event loop. A single request may match
 * thousands of strings in one turn. Each match on its own is cheap, so the total time is limited.
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

  /** Runs a function and adds its duration to the total. */
  measure<T>(work: () => T): T {
    if (!this.#isToBeReset) {
      this.#isToBeReset = true;
      onNextTurn(() => this.#reset());
    }
    const start = systemClock.monotonic();
    try {
      return work();
    } finally {
      this.#usedMs += systemClock.monotonic() - start;
    }
  }

  #reset(): void {
    this.#usedMs = 0;
    this.#isToBeReset = false;
  }
}
