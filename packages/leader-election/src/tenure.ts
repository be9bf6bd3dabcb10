import type { Clock } from "@kubewright/clock";

/** A moment, as both clocks of this machine have it. */
export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

/**
 * How long a leader may go on without renewing. It counts from before the last renewal was sent, while others count the longer lease
 * from when they saw that renewal, which is later: what the lease is longer than the tenure is the margin for clocks that run
 * unevenly and for requests under way.
 *
 * Monotonic time decides. The wall clock can only cast doubt: if it alone says that the tenure is over, either somebody set it or
 * the machine slept, which may stop monotonic time, and no program can tell which. The next renewal can.
 */
export class Tenure {
  readonly #clock: Clock;
  readonly #ms: number;
  #from: Moment | undefined;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** A moment from which a tenure can be counted: take it before sending the renewal. */
  mark(): Moment {
    return { monotonic: this.#clock.monotonic(), wall: this.#clock.now() };
  }

  renew(from: Moment): void {
    this.#from = from;
  }

  end(): void {
    this.#from = undefined;
  }

  /** Zero or less: it is over. */
  get remainingMs(): number {
    return this.#from ? this.#from.monotonic + this.#ms - this.#clock.monotonic() : 0;
  }

  /** Until one of the clocks says that it is over. Zero or less: one does. */
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
