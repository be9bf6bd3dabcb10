import type { Clock } from "@kubewright/clock";

/** A moment according to both clocks of this machine. */
export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

/**
 * The time for which a leader may lead without renewing. It is counted from before the last renewal was sent, while others count the
 * longer lease from observing that renewal, which is later: the difference between lease and tenure is the margin for clocks of different
 * speed and for requests in progress.
 *
 * Monotonic time decides. The wall clock can only cast doubt: if it alone indicates that the tenure is over, either it was set or the
 * machine slept, which may stop monotonic time. A program cannot distinguish the two, but the next renewal can.
 */
export class Tenure {
  readonly #clock: Clock;
  readonly #ms: number;
  #from: Moment | undefined;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** Returns a moment from which a tenure can be counted; must be called before sending the renewal. */
  mark(): Moment {
    return { monotonic: this.#clock.monotonic(), wall: this.#clock.now() };
  }

  renew(from: Moment): void {
    this.#from = from;
  }

  end(): void {
    this.#from = undefined;
  }

  /** Remaining milliseconds; zero or less if the tenure is over. */
  get remainingMs(): number {
    return this.#from ? this.#from.monotonic + this.#ms - this.#clock.monotonic() : 0;
  }

  /** Milliseconds until one of the clocks indicates the end; zero or less if one does. */
  get undoubtedMs(): number {
    const byWall = this.#from ? this.#from.wall + this.#ms - this.#clock.now() : 0;
    return Math.min(this.remainingMs, byWall);
  }

  get isOver(): boolean {
    return this.remainingMs <= 0;
  }

  get isDoubted(): boolean {
    return this.undoubtedMs <= 0;
  }
}
