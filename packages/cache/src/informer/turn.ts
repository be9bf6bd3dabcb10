import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "@kubewright/clock";

/** So long a piece of work may keep timers and sockets waiting. */
const longestMs = 10;

/**
 * How much of a turn of the event loop a piece of work has had. It is asked between two steps; whoever has had enough lets
 * everybody else have a turn first.
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

  /** Work begins. */
  resume(): void {
    this.#resumedMs ??= this.#clock.monotonic();
  }

  /** Work ends, for now: time that passes until it is resumed is others'. */
  pause(): void {
    if (this.#resumedMs !== undefined) this.#spentMs += this.#clock.monotonic() - this.#resumedMs;
    this.#resumedMs = undefined;
  }

  /** Resolves in a new turn. */
  async next(): Promise<void> {
    this.pause();
    await nextTurn();
    this.#spentMs = 0;
  }
}
