import type { Clock } from "@kubewright/clock";

/** A moment on both clocks of this machine. */
interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

/**
 * Time for which a leader may lead without a renewal. It is counted from before the last renewal was sent. Other processes count the longer
 * lease duration from observing that renewal, which is later. The difference is the margin for clocks that run at different speeds and for
 * requests in progress.
 *
 * Monotonic time is decisive. The wall clock can only cast doubt: if it alone indicates that the term is over, it was set, or the machine
 * slept, which may stop monotonic time. A program cannot distinguish the two cases, but the next renewal can.
 */
export class Term {
  readonly #clock: Clock;
  readonly #ms: number;
  #from: Moment | undefined;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** Returns a moment from which a term can be counted. Must be called before the renewal is sent. */
  mark(): Moment {
    return { monotonic: this.#clock.monotonic(), wall: this.#clock.now() };
  }

  renew(from: Moment): void {
    this.#from = from;
  }

  end(): void {
    this.#from = undefined;
  }

  /** Remaining milliseconds. Zero or less if the term is over. */
  get remainingMs(): number {
    return this.#from ? this.#from.monotonic + this.#ms - this.#clock.monotonic() : 0;
  }

  /** Milliseconds until one of the clocks indicates the end of the term. Zero or less if a clock already does. */
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
 * A time limit shared by several calls. No call is awaited past the limit, and later responses are ignored: code after `await
 * deadline.within(…)` runs in time or never. The clock is checked as well, because the timers of a stalled process are late.
 */
export class Deadline {
  readonly #clock: Clock;
  readonly #until: number;
  readonly #over = new AbortController();
  readonly #rejection = Promise.withResolvers<never>();
  readonly #release: () => void;

  /** @param stop signal that ends all calls early */
  constructor(clock: Clock, ms: number, stop?: AbortSignal) {
    this.#clock = clock;
    this.#until = clock.monotonic() + ms;
    this.#rejection.promise.catch(() => {}); // handled by `within`
    const timer = clock.after(ms, () => this.#end(new Error(`not done within ${Math.round(ms)} ms`)));
    const onStop = (): void => this.#end(stop?.reason);
    stop?.addEventListener("abort", onStop);
    this.#release = () => {
      timer.cancel();
      stop?.removeEventListener("abort", onStop);
    };
    if (stop?.aborted) onStop();
  }

  /** Aborts when the deadline has passed or `stop` has aborted. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Makes a call within the time limit. @throws the call's error, or the reason why the call was abandoned */
  async within<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.signal.throwIfAborted();
    const answer = await Promise.race([call(this.signal), this.#rejection.promise]);
    if (this.#clock.monotonic() >= this.#until) this.#end(new Error("the response came too late"));
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
