import type { Clock } from "@kubewright/clock";

const baseMs = 1_000;
const maxMs = 15 * 60_000;

/**
 * How long a daemon set waits before it replaces a pod that failed on a node: a second, twice as long each time, a quarter of an hour at
 * most. It starts over when nothing has failed there for twice that long.
 *
 * @see kubernetes pkg/controller/daemon daemon_controller.go failedPodsBackoff
 */
export class FailedPods {
  readonly #clock: Clock;
  readonly #failures = new Map<string, { readonly delayMs: number; readonly at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * 0 where the pod may be replaced now, which is noted; else what is left of the wait.
   *
   * @param place the daemon set in its present generation, and the node
   */
  replaceOrWaitMs(place: string): number {
    const now = this.#clock.monotonic();
    const { delayMs, at } = this.#failures.get(place) ?? { delayMs: 0, at: now };
    const leftMs = at + delayMs - now;
    if (leftMs > 0) return leftMs;
    this.#forgetOld(now);
    const isNew = !this.#failures.has(place);
    this.#failures.delete(place);
    this.#failures.set(place, { delayMs: isNew ? baseMs : Math.min(delayMs * 2, maxMs), at: now });
    return 0;
  }

  /** Oldest first. */
  #forgetOld(now: number): void {
    for (const [place, { at }] of this.#failures) {
      if (now - at < 2 * maxMs) return;
      this.#failures.delete(place);
    }
  }
}
