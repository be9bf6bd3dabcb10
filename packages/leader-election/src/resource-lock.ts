/**
 * The leader, the time since when it leads, and its lease duration. Times are milliseconds since 1970, with a fraction for microseconds.
 */
export interface LeaderElectionRecord {
  /** Identity of the leader; empty if there is none. */
  readonly holderIdentity: string;
  readonly leaseDurationSeconds: number;
  readonly acquireTimeMs: number;
  readonly renewTimeMs: number;
  /** Number of times that the lease has changed hands. */
  readonly leaderTransitions: number;
  /** In coordinated election, the preferred holder, and the strategy by which it was chosen. */
  readonly preferredHolder?: string | undefined;
  readonly strategy?: string | undefined;
}

/**
 * The object that candidates compete for.
 *
 * An elector waits for no call past its deadline, whether the lock heeds the signal or not. A call that continues after its signal has
 * aborted must not change the version that a later `update` replaces, because the elector has acted on other responses meanwhile.
 */
export interface ResourceLock {
  /** Identity of this candidate. */
  readonly identity: string;
  /** `namespace/name`, for messages. */
  readonly description: string;
  /** Returns the current record. @throws {StatusError} `NotFound` if there is none */
  get(signal: AbortSignal): Promise<LeaderElectionRecord>;
  create(record: LeaderElectionRecord, signal: AbortSignal): Promise<void>;
  /** Replaces the record that was last read or written; fails with a conflict if another client has written since. */
  update(record: LeaderElectionRecord, signal: AbortSignal): Promise<void>;
  /** Records an event for the lock's object: `<identity> became leader`. */
  record(text: string): void;
}
