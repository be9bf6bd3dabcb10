import type { LeaderElectionRecord, ResourceLock } from "@kubewright/leader-election";

/** A lock that is not released before `mayRelease` returns true: until then, other processes must wait for it to expire. */
export class KeptLock implements ResourceLock {
  readonly #lock: ResourceLock;
  readonly #mayRelease: () => boolean;

  constructor(lock: ResourceLock, mayRelease: () => boolean) {
    this.#lock = lock;
    this.#mayRelease = mayRelease;
  }

  get identity(): string {
    return this.#lock.identity;
  }

  get description(): string {
    return this.#lock.description;
  }

  get(signal: AbortSignal): Promise<LeaderElectionRecord> {
    return this.#lock.get(signal);
  }

  create(record: LeaderElectionRecord, signal: AbortSignal): Promise<void> {
    return this.#lock.create(record, signal);
  }

  async update(record: LeaderElectionRecord, signal: AbortSignal): Promise<void> {
    if (record.holderIdentity === "" && !this.#mayRelease())
      throw new Error(`${this.description} is kept until it expires: work of the leader has not ended`);
    await this.#lock.update(record, signal);
  }

  record(text: string): void {
    this.#lock.record(text);
  }
}
