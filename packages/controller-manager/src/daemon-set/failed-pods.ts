import type { Clock } from "@kubewright/clock";

const baseMs = 1_000;
const maxMs = 15 * 60_000;

/**
 * Backoff before a daemon set replaces a failed pod on a node: one second at first, doubling up to 15 minutes. It is
 * reset after 30 minutes without a failure.
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
   * Returns 0 and records the replacement if the pod may be replaced now; otherwise, returns the remaining delay.
   *
   * @param place the daemon set, its current generation and the node
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

  /** Forgets failures that are too old to count. The map is ordered from the oldest failure to the newest. */
  #forgetOld(now: number): void {
    for (const [place, { at }] of this.#failures) {
      if (now - at < 2 * maxMs) return;
      this.#failures.delete(place);
    }
  }
}
