import type { ObjectKey } from "@kubewright/apimachinery";
import type { Origin } from "../cnf/session/change.ts";

interface Waiting {
  readonly origin: Origin;
  readonly purpose: string;
  readonly failures: number;
  /** True if the resource has been triggered since its last failure. Its next attempt then does not count. */
  triggered: boolean;
}

/**
 * Resources that are waiting for a change to a CNF, because the CNF refused to create or delete their objects. For
 * example, an object may refer to another object that does not exist yet, or may still be referred to by another
 * object. Each change to the CNF triggers an immediate attempt, without waiting for the delay.
 */
export class WaitingRules {
  readonly #waiting = new Map<string, Waiting>();
  readonly #triggers = new Map<string, (key: ObjectKey) => void>();

  /** Triggers the waiting resources of a kind with `trigger`, until the signal aborts. */
  subscribe(kind: string, trigger: (key: ObjectKey) => void, signal: AbortSignal): void {
    this.#triggers.set(kind, trigger);
    signal.addEventListener("abort", () => this.#triggers.delete(kind), { once: true });
  }

  /**
   * Adds a resource after a failure.
   *
   * @returns the number of consecutive failures, including this one, but excluding attempts that were triggered by changes to other
   * resources
   */
  add(origin: Origin, purpose: string): number {
    const id = idOf(origin);
    const before = this.#waiting.get(id);
    const failures = (before?.failures ?? 0) + (before?.triggered ? 0 : 1);
    this.#waiting.set(id, { origin, purpose, failures, triggered: false });
    return failures;
  }

  remove(origin: Origin): void {
    this.#waiting.delete(idOf(origin));
  }

  /** Triggers one resource, whether or not it is waiting. */
  trigger({ kind, key }: Origin): void {
    this.#triggers.get(kind)?.(key);
  }

  /** Called when the CNF with a purpose has changed, or an object for it has been deleted. */
  triggerAll(purpose: string): void {
    for (const waiting of this.#waiting.values()) {
      if (waiting.purpose !== purpose) continue;
      waiting.triggered = true;
      this.trigger(waiting.origin);
    }
  }
}

const idOf = ({ kind, key }: Origin): string => `${kind} ${key}`;
