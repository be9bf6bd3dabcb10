import type { Clock } from "@kubewright/clock";

/**
 * Time limit for several calls together. No call is awaited past the limit, and later responses are ignored: code after
 * `await budget.spend(…)` runs in time or never. The clock is checked as well, because timers of a stalled process are late.
 */
export class Budget {
  readonly #clock: Clock;
  readonly #until: number;
  readonly #over = new AbortController();
  readonly #rejection = Promise.withResolvers<never>();
  readonly #release: () => void;

  /** @param stop ends the budget early */
  constructor(clock: Clock, ms: number, stop?: AbortSignal) {
    this.#clock = clock;
    this.#until = clock.monotonic() + ms;
    this.#rejection.promise.catch(() => {}); // raced by `spend`
    const timer = clock.after(ms, () => this.#end(new Error(`not done within ${Math.round(ms)} ms`)));
    const onStop = (): void => this.#end(stop?.reason);
    stop?.addEventListener("abort", onStop);
    this.#release = () => {
      timer.cancel();
      stop?.removeEventListener("abort", onStop);
    };
    if (stop?.aborted) onStop();
  }

  /** Aborts when the budget is used up or was stopped. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** @throws the error of the call, or the reason why the budget ended before the call did */
  async spend<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
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
