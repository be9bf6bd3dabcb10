import { notFound } from "@kubewright/apimachinery";
import type { LeaderElectionRecord, ResourceLock } from "@kubewright/leader-election";

/** A lock shared by the candidates in one process. */
export class MemoryLock implements ResourceLock {
  readonly description = "ns/lock";
  readonly identity: string;
  readonly #store: { record?: LeaderElectionRecord };
  broken = false;
  /** Called with the text of each recorded event. */
  onRecord: (text: string) => void = () => {};

  constructor(store: { record?: LeaderElectionRecord }, identity: string) {
    this.#store = store;
    this.identity = identity;
  }
  async get(): Promise<LeaderElectionRecord> {
    if (this.broken) throw new Error("connection refused");
    if (!this.#store.record) throw notFound({ group: "", resource: "leases" }, "lock");
    return this.#store.record;
  }
  async create(record: LeaderElectionRecord): Promise<void> {
    this.#store.record = record;
  }
  async update(record: LeaderElectionRecord): Promise<void> {
    if (this.broken) throw new Error("connection refused");
    this.#store.record = record;
  }
  record(text: string): void {
    this.onRecord(text);
  }
}
