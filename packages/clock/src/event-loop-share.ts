import type { Clock } from "./clock.ts";

/** So long work goes on before timers and sockets get their turn. */
const shareMs = 10;

const shares = new WeakMap<Clock, EventLoopShare>();

/**
 * Work that waits for promises only, never for a timer or a socket, keeps the event loop to itself: no lease is renewed, no probe
 * answered. Who works in a loop asks here whether its time of 10 ms is up, and waits for the next turn.
 */
export class EventLoopShare {
  readonly #clock: Clock;
  #began: number;
  #next: Promise<void> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#began = clock.monotonic();
  }

  /** The one share of all who work by a clock. */
  static of(clock: Clock): EventLoopShare {
    const present = shares.get(clock);
    if (present) return present;
    const made = new EventLoopShare(clock);
    shares.set(clock, made);
    return made;
  }

  /** Whether it is time to wait for {@link nextTurn}. After a pause it is, once. */
  isUsedUp(now: number = this.#clock.monotonic()): boolean {
    return now - this.#began >= shareMs;
  }

  /** Resolves when the event loop has looked after everything else. */
  nextTurn(): Promise<void> {
    this.#next ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#next = undefined;
        this.#began = this.#clock.monotonic();
        resolve();
      });
    });
    return this.#next;
  }
}
