import type { RateLimiter } from "./rate-limiter.ts";

/** A rate limiter whose delay depends on the number of an item's previous failures. */
export abstract class FailureCount implements RateLimiter {
  readonly #failures = new Map<unknown, number>();

  protected abstract delayAfter(failures: number): number;

  when(item: unknown): number {
    const failures = this.numRequeues(item);
    this.#failures.set(item, failures + 1);
    return this.delayAfter(failures);
  }

  forget(item: unknown): void {
    this.#failures.delete(item);
  }

  numRequeues(item: unknown): number {
    return this.#failures.get(item) ?? 0;
  }
}
