import type { Clock } from "@kubewright/clock";
import { retryDelayMs } from "../rules/retry.ts";

interface Failed {
  readonly what: string;
  readonly message: string;
  readonly failures: number;
  readonly untilMs: number;
}

/** Which switching failed, and when it is due again: each failure in a row doubles the delay, as it does for rules. */
export class Attempts {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #failed = new Map<string, Failed>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /**
   * Why the last try failed, until the next one is due.
   *
   * @param id of the object
   * @param what is to be switched, where and to what: for anything else nothing has failed yet
   */
  held(id: string, what: string): string | undefined {
    const failed = this.#failed.get(id);
    return failed?.what === what && this.#clock.monotonic() < failed.untilMs ? failed.message : undefined;
  }

  /** @param error default: the CNF said yes, and did nothing */
  failed(id: string, what: string, message: string, error?: unknown): void {
    const before = this.#failed.get(id);
    const failures = before?.what === what ? before.failures + 1 : 1;
    const untilMs = this.#clock.monotonic() + retryDelayMs(error, failures);
    this.#failed.set(id, { what, message, failures, untilMs });
  }

  /** It was switched, or is no more. */
  forget(id: string): void {
    this.#failed.delete(id);
  }
}
