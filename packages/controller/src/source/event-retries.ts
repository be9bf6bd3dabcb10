import type { KubeObject } from "@kubewright/apimachinery";
import { Backoff, type Clock, type Timer } from "@kubewright/clock";
import type { ObjectEvent } from "../event/object-event.ts";
import { namesOf } from "./event-names.ts";

/** Reason why an event was not handled. */
export interface Failure {
  /** The failed handler or predicate: `handler mapSecrets`. */
  readonly by: string;
  readonly err: Error;
}

export type Outcome = Failure | undefined | Promise<Failure | undefined>;

export interface EventRetriesOptions<T extends KubeObject> {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Neither throws nor rejects. */
  readonly handle: (event: ObjectEvent<T>) => Outcome;
  /** Called once for an event that is dropped. */
  readonly onDropped: (event: ObjectEvent<T>, failure: Failure) => void;
}

const maxTries = 6;

interface Retry<T extends KubeObject> {
  readonly event: ObjectEvent<T>;
  readonly backoff: Backoff;
  tries: number;
  timer: Timer | undefined;
  underWay: Promise<void> | undefined;
}

/**
 * Events that could not be handled. Each is retried a few times without blocking others, because a missing object may still arrive. Events
 * of one object stay in order.
 */
export class EventRetries<T extends KubeObject> {
  readonly #options: EventRetriesOptions<T>;
  readonly #byObject = new Map<string, Retry<T>>();
  /** Counter for objects without a name, and for events that took so long to fail that a newer one failed before. */
  #others = 0;

  constructor(options: EventRetriesOptions<T>) {
    this.#options = options;
    options.signal.addEventListener("abort", () => this.#stop(), { once: true });
  }

  /** Number of events that wait to be retried. */
  get size(): number {
    return this.#byObject.size;
  }

  add(event: ObjectEvent<T>): void {
    if (this.#options.signal.aborted) return;
    const retry: Retry<T> = {
      event,
      backoff: new Backoff({ baseMs: 100, maxMs: 5_000 }),
      tries: 1,
      timer: undefined,
      underWay: undefined,
    };
    const named = idOf(event);
    const id = named === undefined || this.#byObject.has(named) ? `#${this.#others++}` : named;
    this.#byObject.set(id, retry);
    this.#wait(id, retry);
  }

  /**
   * Must be called before a newer event of an object is handled: a waiting older one is then retried now, for the last time.
   *
   * @returns a promise to wait for, if any
   */
  makeWay(event: ObjectEvent<T>): Promise<void> | undefined {
    const id = idOf(event);
    const earlier = id === undefined ? undefined : this.#byObject.get(id);
    if (!earlier || id === undefined) return undefined;
    earlier.tries = maxTries;
    this.#byObject.delete(id);
    if (earlier.underWay) return earlier.underWay;
    earlier.timer?.cancel();
    return this.#try(id, earlier);
  }

  #wait(id: string, retry: Retry<T>): void {
    retry.timer = this.#options.clock.after(retry.backoff.next(), () => {
      retry.tries++;
      void this.#try(id, retry);
    });
  }

  #try(id: string, retry: Retry<T>): Promise<void> | undefined {
    const outcome = this.#options.handle(retry.event);
    if (!(outcome instanceof Promise)) return this.#conclude(id, retry, outcome);
    retry.underWay = outcome.then((failure) => this.#conclude(id, retry, failure));
    return retry.underWay;
  }

  #conclude(id: string, retry: Retry<T>, failure: Failure | undefined): undefined {
    const { signal, onDropped } = this.#options;
    retry.underWay = undefined;
    if (failure && retry.tries < maxTries && !signal.aborted) {
      this.#wait(id, retry);
      return;
    }
    if (this.#byObject.get(id) === retry) this.#byObject.delete(id);
    if (failure && !signal.aborted) onDropped(retry.event, failure);
  }

  #stop(): void {
    for (const { timer } of this.#byObject.values()) timer?.cancel();
    this.#byObject.clear();
  }
}

function idOf(event: ObjectEvent): string | undefined {
  const { kind = "", key } = namesOf(event);
  return key === undefined ? undefined : `${kind} ${key}`;
}
