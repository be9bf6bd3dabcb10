import type { Clock } from "@kubewright/clock";
import { retryDelayMs } from "../rules/retry.ts";

interface Failed {
  readonly what: string;
  readonly message: string;
  readonly failures: number;
  readonly untilMs: number;
}

/**
 * Tracks failed attempts to bring an interface up or down, and when the next attempts are due. As with rules, each
 * consecutive failure doubles the delay.
 */
export class Attempts {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #failed = new Map<string, Failed>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /**
   * Returns the reason why the last attempt failed, or undefined once the next attempt is due.
   *
   * @param id ID of the object
   * @param what the interface, its pod and the target state. If this value differs from the last one, the count is reset
   */
  held(id: string, what: string): string | undefined {
    const failed = this.#failed.get(id);
    return failed?.what === what && this.#clock.monotonic() < failed.untilMs ? failed.message : undefined;
  }

  /**
   * Records a failed attempt.
   *
   * @param error the request's error. If absent, the CNF accepted the request but did not switch the interface
   */
  failed(id: string, what: string, message: string, error?: unknown): void {
    const before = this.#failed.get(id);
    const failures = before?.what === what ? before.failures + 1 : 1;
    const untilMs = this.#clock.monotonic() + retryDelayMs(error, failures);
    this.#failed.set(id, { what, message, failures, untilMs });
  }

  /** Called when the interface has been switched or its object has been deleted. */
  forget(id: string): void {
    this.#failed.delete(id);
  }
}
