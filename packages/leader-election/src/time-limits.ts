import type { Clock } from "@kubewright/clock";

/** A moment according to both clocks of this machine. */
interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

/**
 * The time for which a leader may lead without renewing. It is counted from before the last renewal was sent, while others count the
 * longer lease from observing that renewal, which is later: the difference between lease and term is the margin for clocks that run at
 * different speeds and for requests in progress.
 *
 * Monotonic time decides. The wall clock can only cast doubt: if it alone indicates that the term is over, either it was set or the
 * machine slept, which may stop monotonic time. A program cannot distinguish the two, but the next renewal can.
 *
 */
export class Term {
  readonly #clock: Clock;
  readonly #ms: number;
  #from: Moment | undefined;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** Returns a moment from which a term can be counted; must be called before sending the renewal. */
  mark(): Moment {
    return { monotonic: this.#clock.monotonic(), wall: this.#clock.now() };
  }

  renew(from: Moment): void {
    this.#from = from;
  }

  end(): void {
    this.#from = undefined;
  }

  /** Remaining milliseconds; zero or less if the term is over. */
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

/**
 * A time limit that several calls share. No call is awaited past the limit, and later responses are ignored: code after `await
 * deadline.within(…)` runs in time or never. The clock is checked as well, because timers of a stalled process are late.
 *
 */
export class Deadline {
  readonly #clock: Clock;
  readonly #until: number;
  readonly #over = new AbortController();
  readonly #rejection = Promise.withResolvers<never>();
  readonly #release: () => void;

  /** @param stop ends all calls early */
  constructor(clock: Clock, ms: number, stop?: AbortSignal) {
    this.#clock = clock;
    this.#until = clock.monotonic() + ms;
    this.#rejection.promise.catch(() => {}); // raced by `within`
    const timer = clock.after(ms, () => this.#end(new Error(`not done within ${Math.round(ms)} ms`)));
    const onStop = (): void => this.#end(stop?.reason);
    stop?.addEventListener("abort", onStop);
    this.#release = () => {
      timer.cancel();
      stop?.removeEventListener("abort", onStop);
    };
    if (stop?.aborted) onStop();
  }

  /** Aborts when the deadline has passed, or `stop` has aborted. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** @throws the call's error, or the reason the call was given up */
  async within<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.signal.throwIfAborted();
    const answer = await Promise.race([call(this.signal), this.#rejection.promise]);
    if (this.#clock.monotonic() >= this.#until) this.#end(new Error("the answer came too late"));
    this.signal.throwIfAborted();
    return answer;
  }

  /** Cancels the timer and removes the listener. */
  close(): void {
    this.#release();
  }

  #end(reason: unknown): void {
    this.#release();
    this.#over.abort(reason);
    this.#rejection.reject(reason);
  }
}
