import type { Clock } from "@kubewright/clock";
import type { Origin } from "../cnf/session/change.ts";

/** The reason why a resource could not be applied to a pod. */
export interface KnownFailure {
  readonly atMs: number;
  /** Message of the failure, without secrets. */
  readonly message: string;
}

/** Maximum number of resources whose failures are stored. The oldest are dropped. */
const maxOrigins = 4_096;
const maxPods = 16;

/** Stores the pods to which resources could not be applied in the last attempt, with the reasons. */
export class PodFailures {
  readonly #clock: Pick<Clock, "now">;
  readonly #known = new Map<string, ReadonlyMap<string, KnownFailure>>();

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /**
   * Records the result of an attempt. @param messages messages without secrets, keyed by pod UID; empty after a success
   */
  note(origin: Origin, messages: ReadonlyMap<string, string>): void {
    this.#known.delete(idOf(origin));
    if (messages.size === 0) return;
    const atMs = this.#clock.now();
    const failures = [...messages].slice(0, maxPods).map(([uid, message]) => [uid, { atMs, message }] as const);
    this.#known.set(idOf(origin), new Map(failures));
    const [oldest] = this.#known.keys();
    if (this.#known.size > maxOrigins && oldest !== undefined) this.#known.delete(oldest);
  }

  /** Called after a success, or when the resource has been deleted. */
  forget(origin: Origin): void {
    this.#known.delete(idOf(origin));
  }

  /** Returns the failures, keyed by pod UID. */
  of(origin: Origin): ReadonlyMap<string, KnownFailure> {
    return this.#known.get(idOf(origin)) ?? none;
  }
}

const none: ReadonlyMap<string, KnownFailure> = new Map();

const idOf = ({ kind, key }: Origin): string => `${kind} ${key}`;
