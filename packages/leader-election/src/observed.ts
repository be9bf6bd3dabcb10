import type { LeaderElectionRecord } from "./resource-lock.ts";

/** A record and when (on our monotonic clock) we first saw it: other machines' clocks are not trusted. */
export interface Observed {
  readonly record: LeaderElectionRecord;
  readonly at: number;
  /** The lock's object was deleted since. Its holder may not know yet, and leads as long as it would have. */
  readonly isGone: boolean;
}

/** Only what changed since is a sign of life. `undefined`: there is no record (any more). */
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
