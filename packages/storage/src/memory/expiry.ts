import type { Clock, Timer } from "@kubewright/clock";

/** Calls a function for each expired key. All keys share one timer. */
export class Expiry {
  readonly #clock: Clock;
  readonly #expire: (key: string) => void;
  readonly #due = new Map<string, number>();
  #timer: { readonly at: number; readonly timer: Timer } | undefined;

  constructor(clock: Clock, expire: (key: string) => void) {
    this.#clock = clock;
    this.#expire = expire;
  }

  set(key: string, afterMs: number): void {
    const at = this.#clock.monotonic() + afterMs;
    this.#due.set(key, at);
    if (!this.#timer || at < this.#timer.at) this.#arm(at);
  }

  /** Returns the time at which a key expires (in milliseconds since 1970), or `undefined` if it never expires. */
  at(key: string): number | undefined {
    const due = this.#due.get(key);
    return due === undefined ? undefined : this.#clock.now() + due - this.#clock.monotonic();
  }

  forget(key: string): void {
    this.#due.delete(key);
  }

  close(): void {
    this.#timer?.timer.cancel();
    this.#timer = undefined;
    this.#due.clear();
  }

  #arm(at: number): void {
    this.#timer?.timer.cancel();
    const timer = this.#clock.after(at - this.#clock.monotonic(), () => this.#sweep(), { unref: true });
    this.#timer = { at, timer };
  }

  #sweep(): void {
    this.#timer = undefined;
    const now = this.#clock.monotonic();
    let next = Number.POSITIVE_INFINITY;
    for (const [key, at] of this.#due) {
      if (at > now) {
        next = Math.min(next, at);
        continue;
      }
      this.#due.delete(key);
      this.#expire(key);
    }
    if (Number.isFinite(next)) this.#arm(next);
  }
}
