import type { ObjectKey } from "@kubewright/apimachinery";
import type { Origin } from "../cnf/batch.ts";

interface Waiting {
  readonly waiter: Origin;
  readonly purpose: string;
  readonly failures: number;
  /** True if the resource was triggered since its last failure, so that its next attempt does not count. */
  called: boolean;
}

/**
 * Resources that wait for a change of a CNF: it refused their objects, often because another object does not exist yet or still exists.
 * Each change of the CNF immediately triggers an attempt, without waiting for the delay.
 */
export class WaitingRoom {
  readonly #waiting = new Map<string, Waiting>();
  readonly #callers = new Map<string, (key: ObjectKey) => void>();

  /** Triggers the waiting resources of a kind with `call`, until the signal aborts. */
  listen(kind: string, call: (key: ObjectKey) => void, signal: AbortSignal): void {
    this.#callers.set(kind, call);
    signal.addEventListener("abort", () => this.#callers.delete(kind), { once: true });
  }

  /** @returns the number of consecutive failures, including this one, except for attempts that other resources' changes triggered */
  enter(waiter: Origin, purpose: string): number {
    const id = idOf(waiter);
    const before = this.#waiting.get(id);
    const failures = (before?.failures ?? 0) + (before?.called ? 0 : 1);
    this.#waiting.set(id, { waiter, purpose, failures, called: false });
    return failures;
  }

  leave(waiter: Origin): void {
    this.#waiting.delete(idOf(waiter));
  }

  /** Triggers one resource, whether or not it is waiting. */
  call({ kind, key }: Origin): void {
    this.#callers.get(kind)?.(key);
  }

  /** Called when the CNF of a purpose was changed, or an object for it was deleted. */
  changed(purpose: string): void {
    for (const waiting of this.#waiting.values()) {
      if (waiting.purpose !== purpose) continue;
      waiting.called = true;
      this.call(waiting.waiter);
    }
  }
}

const idOf = ({ kind, key }: Origin): string => `${kind} ${key}`;
