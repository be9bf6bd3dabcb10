import { alreadyExists, conflict, notFound } from "@kubewright/apimachinery";
import type { FakeClock } from "@kubewright/clock/testing";
import {
  Elector,
  type ElectorOptions,
  type LeaderElectionRecord,
  type ResourceLock,
} from "@kubewright/leader-election";

const leases = { group: "coordination.k8s.io", resource: "leases" };

/** The lease that all candidates compete for. */
export class LeaseStore {
  record: LeaderElectionRecord | undefined;
  version = 0;
  readonly calls: string[] = [];
  /** Called before each call completes: returns an error, or a promise to wait for. */
  fail: (call: string) => Error | Promise<void> | undefined = () => undefined;
}

/** One candidate's lock in memory. */
export class ContestedLock implements ResourceLock {
  readonly description = "ns/lock";
  readonly identity: string;
  readonly recorded: string[] = [];
  readonly #store: LeaseStore;
  #version = -1;

  constructor(store: LeaseStore, identity: string) {
    this.#store = store;
    this.identity = identity;
  }

  async get(): Promise<LeaderElectionRecord> {
    await this.#call("get");
    if (!this.#store.record) throw notFound(leases, "lock");
    this.#version = this.#store.version;
    return this.#store.record;
  }

  async create(record: LeaderElectionRecord): Promise<void> {
    await this.#call("create");
    if (this.#store.record) throw alreadyExists(leases, "lock");
    this.#put(record);
  }

  async update(record: LeaderElectionRecord): Promise<void> {
    await this.#call("update");
    if (this.#version !== this.#store.version) throw conflict(leases, "lock", "it changed");
    this.#put(record);
  }

  record(text: string): void {
    this.recorded.push(`${this.identity} ${text}`);
  }

  #put(record: LeaderElectionRecord): void {
    this.#store.record = record;
    this.#version = ++this.#store.version;
  }

  async #call(name: string): Promise<void> {
    this.#store.calls.push(name);
    const trouble = this.#store.fail(name);
    if (trouble instanceof Error) throw trouble;
    await trouble;
  }
}

/** Returns a record as written by others. */
export const heldBy = (holderIdentity: string, more: Partial<LeaderElectionRecord> = {}): LeaderElectionRecord => ({
  holderIdentity,
  leaseDurationSeconds: 15,
  acquireTimeMs: 1,
  renewTimeMs: 1,
  leaderTransitions: 3,
  ...more,
});

/** Runs a candidate, and records its events. */
export function candidate(store: LeaseStore, clock: FakeClock, options: Partial<ElectorOptions> = {}) {
  const lock = new ContestedLock(store, "a");
  const elector = new Elector({ lock, clock, random: () => 0, ...options });
  const stop = new AbortController();
  const leaders: string[] = [];
  const terms: string[] = [];
  elector.events.on("leaderChanged", (leader) => leaders.push(leader));
  elector.events.on("elected", () => terms.push("elected"));
  elector.events.on("deposed", () => terms.push("deposed"));
  let ended: unknown = "running";
  const run = elector.run(stop.signal).then(
    () => (ended = "stopped"),
    (error: unknown) => (ended = error),
  );
  const end = async (): Promise<void> => {
    stop.abort();
    await clock.advance(0);
    await run;
  };
  return { lock, elector, stop, leaders, terms, ended: () => ended, end };
}
