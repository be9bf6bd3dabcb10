import type { Clock } from "@kubewright/clock";
import type { Origin } from "../cnf/batch.ts";

/** Why a resource could not be brought to one pod. */
export interface KnownFailure {
  readonly atMs: number;
  /** Without secrets. */
  readonly message: string;
}

/** So many resources' failures are kept; the oldest are forgotten. */
const mostOrigins = 4_096;
const mostPods = 16;

/** On which pods resources failed when they were last tried, and why. */
export class PodFailures {
  readonly #clock: Pick<Clock, "now">;
  readonly #known = new Map<string, ReadonlyMap<string, KnownFailure>>();

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /** @param messages without secrets, by the uid of the pod; none where all went well */
  note(origin: Origin, messages: ReadonlyMap<string, string>): void {
    this.#known.delete(idOf(origin));
    if (messages.size === 0) return;
    const atMs = this.#clock.now();
    const failures = [...messages].slice(0, mostPods).map(([uid, message]) => [uid, { atMs, message }] as const);
    this.#known.set(idOf(origin), new Map(failures));
    const [oldest] = this.#known.keys();
    if (this.#known.size > mostOrigins && oldest !== undefined) this.#known.delete(oldest);
  }

  /** All went well, or it is gone. */
  forget(origin: Origin): void {
    this.#known.delete(idOf(origin));
  }

  /** By the uid of the pod. */
  of(origin: Origin): ReadonlyMap<string, KnownFailure> {
    return this.#known.get(idOf(origin)) ?? none;
  }
}

const none: ReadonlyMap<string, KnownFailure> = new Map();

const idOf = ({ kind, key }: Origin): string => `${kind} ${key}`;
