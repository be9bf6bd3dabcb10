/**
 * The leader, the time at which it became the leader, and its lease duration. Times are in milliseconds since 1970,
 * with microseconds as fractions.
 */
export interface LeaderElectionRecord {
  /** Identity of the leader. Empty if there is no leader. */
  readonly holderIdentity: string;
  readonly leaseDurationSeconds: number;
  readonly acquireTimeMs: number;
  readonly renewTimeMs: number;
  /** Number of times that the lease has changed holders. */
  readonly leaderTransitions: number;
  /** Preferred holder in coordinated election; `strategy` is the strategy by which it was chosen. */
  readonly preferredHolder?: string | undefined;
  readonly strategy?: string | undefined;
}

/**
 * The object for which candidates compete.
 *
 * An elector never waits for a call past its deadline, whether or not the lock respects the signal. If a call continues
 * after its signal has aborted, it must not affect which version a later `update` replaces, because the elector may
 * have acted on other responses in the meantime.
 */
export interface ResourceLock {
  /** Identity of this candidate. */
  readonly identity: string;
  /** Description for messages: `namespace/name`. */
  readonly description: string;
  /** Returns the current record. @throws {StatusError} `NotFound` if no record exists */
  get(signal: AbortSignal): Promise<LeaderElectionRecord>;
  create(record: LeaderElectionRecord, signal: AbortSignal): Promise<void>;
  /** Replaces the record that was last read or written. Fails with a conflict if another client has written since. */
  update(record: LeaderElectionRecord, signal: AbortSignal): Promise<void>;
  /** Records an event for the lock's object, such as `<identity> became leader`. */
  record(text: string): void;
}

/** A record and the local monotonic time at which it was first observed. Other machines' clocks are not trusted. */
export interface Observed {
  readonly record: LeaderElectionRecord;
  readonly at: number;
  /**
   * True if the lock's object has been deleted since. The holder may not have noticed the deletion, and therefore leads for as long as it
   * otherwise would have.
   */
  readonly isGone: boolean;
}

/** Updates the observation. Only a changed record proves that its holder is alive. Returns `undefined` if there is no record. */
export function observe(
  before: Observed | undefined,
  seen: LeaderElectionRecord | undefined,
  now: number,
): Observed | undefined {
  if (!seen) return before && !before.isGone ? { ...before, at: now, isGone: true } : before;
  return before && !before.isGone && same(before.record, seen) ? before : { record: seen, at: now, isGone: false };
}

function same(a: LeaderElectionRecord, b: LeaderElectionRecord): boolean {
  return (
    a.holderIdentity === b.holderIdentity &&
    Object.is(a.leaseDurationSeconds, b.leaseDurationSeconds) &&
    Object.is(a.acquireTimeMs, b.acquireTimeMs) &&
    Object.is(a.renewTimeMs, b.renewTimeMs) &&
    a.leaderTransitions === b.leaderTransitions &&
    a.preferredHolder === b.preferredHolder &&
    a.strategy === b.strategy
  );
}

/**
 * Reports whether the coordinator has assigned the lease to a candidate: the lease names the candidate as its holder, prefers no other
 * holder, and has not expired.
 *
 * @param now monotonic milliseconds, as in the observation
 * @see client-go tools/leaderelection LeaderElector.tryCoordinatedRenew
 */
export function isNamed(identity: string, observed: Observed | undefined, now: number): boolean {
  if (!observed || observed.isGone) return false;
  const { at, record } = observed;
  if (record.holderIdentity !== identity || record.preferredHolder) return false;
  return now <= at + record.leaseDurationSeconds * 1_000;
}
