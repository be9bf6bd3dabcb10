import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "@kubewright/clock";

/** Maximum time for which work may block timers and sockets. */
const longestMs = 10;

/**
 * The time that some work has used in the current turn of the event loop. The work checks between two steps whether its turn is over
 * (after 10 ms), and if so lets timers and sockets run before it continues.
 */
export class Turn {
  readonly #clock: Clock;
  #spentMs = 0;
  #resumedMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isOver(): boolean {
    const now = this.#resumedMs === undefined ? 0 : this.#clock.monotonic() - this.#resumedMs;
    return this.#spentMs + now >= longestMs;
  }

  /** Must be called when work begins. */
  resume(): void {
    this.#resumedMs ??= this.#clock.monotonic();
  }

  /** Must be called when work ends: time until it is resumed does not count. */
  pause(): void {
    if (this.#resumedMs !== undefined) this.#spentMs += this.#clock.monotonic() - this.#resumedMs;
    this.#resumedMs = undefined;
  }

  /** Ends the turn. Resolves in a new one. */
  async next(): Promise<void> {
    this.pause();
    await nextTurn();
    this.#spentMs = 0;
  }
}
