import type { Clock } from "@kubewright/clock";
import { retryDelayMs } from "../rules/retry.ts";

interface Failed {
  readonly what: string;
  readonly message: string;
  readonly failures: number;
  readonly untilMs: number;
}

/**
 * Failed attempts to switch an interface, and when the next attempts are due. Each consecutive failure doubles the delay, as it does for
 * rules.
 */
export class Attempts {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #failed = new Map<string, Failed>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /**
   * Returns why the last attempt failed, until the next one is due.
   *
   * @param id of the object
   * @param what the interface, its pod and the target state. Another value counts as a new attempt
   */
  held(id: string, what: string): string | undefined {
    const failed = this.#failed.get(id);
    return failed?.what === what && this.#clock.monotonic() < failed.untilMs ? failed.message : undefined;
  }

  /** @param error default: the CNF accepted the request, but did not act on it */
  failed(id: string, what: string, message: string, error?: unknown): void {
    const before = this.#failed.get(id);
    const failures = before?.what === what ? before.failures + 1 : 1;
    const untilMs = this.#clock.monotonic() + retryDelayMs(error, failures);
    this.#failed.set(id, { what, message, failures, untilMs });
  }

  /** Called when the interface was switched or its object was deleted. */
  forget(id: string): void {
    this.#failed.delete(id);
  }
}
