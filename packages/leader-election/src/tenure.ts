import type { Clock } from "@kubewright/clock";

/**
 * How long a lease protects its holder. It counts from before the renewal was sent, so it ends before any other candidate can
 * think the lease over; and it ends by looking at the time, so a process whose event loop was stalled, or whose machine slept,
 * finds out before it does anything else.
 */
export class Tenure {
  readonly #clock: Clock;
  #until: { readonly monotonic: number; readonly wall: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A moment from which a lease can be counted: take it before sending the renewal. */
  mark(): { readonly monotonic: number; readonly wall: number } {
    return { monotonic: this.#clock.monotonic(), wall: this.#clock.now() };
  }

  extend(from: { readonly monotonic: number; readonly wall: number }, ms: number): void {
    this.#until = { monotonic: from.monotonic + ms, wall: from.wall + ms };
  }

  end(): void {
    this.#until = undefined;
  }

  /** Whichever clock went further counts: the monotonic one may stand still while a machine sleeps. */
  get isOver(): boolean {
    const until = this.#until;
    return !until || this.#clock.monotonic() >= until.monotonic || this.#clock.now() >= until.wall;
  }
}
