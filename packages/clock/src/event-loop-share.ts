import type { Clock } from "./clock.ts";

/** Maximum time for which work may block timers and sockets. */
const shareMs = 10;

const shares = new WeakMap<Clock, EventLoopShare>();

/**
 * How much time some work has used in the current turn of the event loop. Work that only waits for promises, never for a timer or a socket,
 * blocks the event loop: no lease is renewed and no probe gets a response. Such work checks between two steps whether its 10 ms are used
 * up, and if so awaits the next turn.
 *
 * Time counts from the construction and from each {@link nextTurn}, unless the work is paused.
 *
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

  /** Returns the share common to all work that uses a clock. It must not be paused. */
  static of(clock: Clock): EventLoopShare {
    const present = shares.get(clock);
    if (present) return present;
    const made = new EventLoopShare(clock);
    shares.set(clock, made);
    return made;
  }

  /** Returns a share that is paused until {@link resume}, so that only the time of its own work counts. */
  static paused(clock: Clock): EventLoopShare {
    const share = new EventLoopShare(clock);
    share.#resumedMs = undefined;
    return share;
  }

  /** Reports whether to await {@link nextTurn}. Idle time counts if the work is not paused, so this is true once after it. */
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

  /** Resolves when the event loop has processed everything else. The time starts over. */
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
