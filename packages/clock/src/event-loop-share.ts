import type { Clock } from "./clock.ts";

/** Milliseconds after which long work must let timers and sockets run. */
const shareMs = 10;

const shares = new WeakMap<Clock, EventLoopShare>();

/**
 * Limits how long work may block the event loop: 10 ms. Work that waits only for promises, and never for a timer or a socket, would
 * otherwise prevent lease renewals and probe responses. Such loops must check {@link isUsedUp} and then wait for {@link nextTurn}.
 */
export class EventLoopShare {
  readonly #clock: Clock;
  #usedMs = 0;
  #resumedMs: number | undefined;
  #next: Promise<void> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#resumedMs = clock.monotonic();
  }

  /** Returns the share of a clock, which all callers with this clock have in common. */
  static of(clock: Clock): EventLoopShare {
    const present = shares.get(clock);
    if (present) return present;
    const made = new EventLoopShare(clock);
    shares.set(clock, made);
    return made;
  }

  /** Returns true if the caller must wait for {@link nextTurn}. Also true once after a pause. */
  isUsedUp(now: number = this.#clock.monotonic()): boolean {
    return this.#usedMs + (this.#resumedMs === undefined ? 0 : now - this.#resumedMs) >= shareMs;
  }

  /** Must be called when paused work continues. */
  resume(): void {
    this.#resumedMs ??= this.#clock.monotonic();
  }

  /** Must be called when work pauses: the time until {@link resume} does not count. */
  pause(): void {
    if (this.#resumedMs !== undefined) this.#usedMs += this.#clock.monotonic() - this.#resumedMs;
    this.#resumedMs = undefined;
  }

  /** Resolves after the event loop has processed everything else. */
  nextTurn(): Promise<void> {
    this.#next ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#next = undefined;
        this.#usedMs = 0;
        if (this.#resumedMs !== undefined) this.#resumedMs = this.#clock.monotonic();
        resolve();
      });
    });
    return this.#next;
  }
}
