import type { ObjectKey } from "@kubewright/apimachinery";
import type { Origin } from "../cnf/batch.ts";

interface Waiting {
  readonly waiter: Origin;
  readonly purpose: string;
  readonly failures: number;
  /** It was called since it last failed: its next try is not one that its own delay brought about. */
  called: boolean;
}

/**
 * Who waits for a change of a CNF: objects that it refused, often for another one that comes later or is still in the way. Each
 * change of the CNF is a reason for them to try at once instead of when their delay is over.
 */
export class WaitingRoom {
  readonly #waiting = new Map<string, Waiting>();
  readonly #callers = new Map<string, (key: ObjectKey) => void>();

  /** Has the waiters of a kind called by `call`, until the signal aborts. */
  listen(kind: string, call: (key: ObjectKey) => void, signal: AbortSignal): void {
    this.#callers.set(kind, call);
    signal.addEventListener("abort", () => this.#callers.delete(kind), { once: true });
  }

  /** @returns how many tries have failed in a row, this one included; those that others' changes brought about do not count */
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

  /** Has one resource tried, whether it waits or not. */
  call({ kind, key }: Origin): void {
    this.#callers.get(kind)?.(key);
  }

  /** The CNF of a purpose was changed, or an object that was for it is gone. */
  changed(purpose: string): void {
    for (const waiting of this.#waiting.values()) {
      if (waiting.purpose !== purpose) continue;
      waiting.called = true;
      this.call(waiting.waiter);
    }
  }
}

const idOf = ({ kind, key }: Origin): string => `${kind} ${key}`;
