import { type Clock, onNextTurn } from "./clock.ts";

/** Maximum time for which work may block timers and sockets. */
const shareMs = 10;

const shares = new WeakMap<Clock, EventLoopShare>();

/**
 * Measures how much time a task has used in the current event loop turn. A task that awaits only promises, never a
 * timer or socket, blocks the event loop, so that leases are not renewed and probes get no response. Between two steps,
 * such a task checks whether its 10 ms are used up and, if so, awaits the next turn.
 *
 * Counting starts at construction and restarts at each {@link nextTurn}. Time during which the task is paused does not
 * count.
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

  /** Returns the share for all work that uses a clock. The share must not be paused. */
  static of(clock: Clock): EventLoopShare {
    const present = shares.get(clock);
    if (present) return present;
    const made = new EventLoopShare(clock);
    shares.set(clock, made);
    return made;
  }

  /** Returns a share that is paused until {@link resume} is called, so that only the time of its own work counts. */
  static paused(clock: Clock): EventLoopShare {
    const share = new EventLoopShare(clock);
    share.#resumedMs = undefined;
    return share;
  }

  /**
   * Reports whether the caller must await {@link nextTurn}. Unless the work is paused, idle time counts as well, so the first call after an
   * idle period returns true.
   */
  isUsedUp(now: number = this.#clock.monotonic()): boolean {
    return this.#usedMs + (this.#resumedMs === undefined ? 0 : now - this.#resumedMs) >= shareMs;
  }

  /** Must be called when paused work continues. */
  resume(): void {
    this.#resumedMs ??= this.#clock.monotonic();
  }

  /** Must be called when work pauses. The time until {@link resume} is not counted. */
  pause(): void {
    if (this.#resumedMs !== undefined) this.#usedMs += this.#clock.monotonic() - this.#resumedMs;
    this.#resumedMs = undefined;
  }

  /** Resolves when the event loop has processed everything else. Time is then counted from zero. */
  nextTurn(): Promise<void> {
    this.#next ??= new Promise((resolve) => {
      onNextTurn(() => {
        this.#next = undefined;
        this.#usedMs = 0;
        if (this.#resumedMs !== undefined) this.#resumedMs = this.#clock.monotonic();
        resolve();
      }, this.#clock);
    });
    return this.#next;
  }
}
