/** Who leads, since when, and until when if nothing more is heard. Times are milliseconds since 1970, with a fraction for microseconds. */
export interface LeaderElectionRecord {
  /** Empty: nobody. */
  readonly holderIdentity: string;
  readonly leaseDurationSeconds: number;
  readonly acquireTimeMs: number;
  readonly renewTimeMs: number;
  /** How often the lease has changed hands. */
  readonly leaderTransitions: number;
  /** Coordinated election: who should lead instead, and how that was decided. */
  readonly preferredHolder?: string | undefined;
  readonly strategy?: string | undefined;
}

/**
 * The object that candidates compete for.
 *
 * An elector waits for no call past its deadline, whether the lock heeds the signal or not. A call that goes on after its signal has
 * aborted must not change what a later `update` replaces: the elector has decided by other answers meanwhile.
 */
export interface ResourceLock {
  /** Who we are among the candidates. */
  readonly identity: string;
  /** `namespace/name`, for messages. */
  readonly description: string;
  /** @throws {StatusError} `NotFound` if there is none */
  get(signal: AbortSignal): Promise<LeaderElectionRecord>;
  create(record: LeaderElectionRecord, signal: AbortSignal): Promise<void>;
  /** Replaces what was last read or written; a conflict if somebody else wrote since. */
  update(record: LeaderElectionRecord, signal: AbortSignal): Promise<void>;
  /** Tells onlookers, as an event on the lock's object: `<identity> became leader`. */
  record(text: string): void;
}
