import type { LeaderElectionRecord } from "./resource-lock.ts";

/** A record, and the time (of the local monotonic clock) at which it was first observed: other machines' clocks are not trusted. */
export interface Observed {
  readonly record: LeaderElectionRecord;
  readonly at: number;
  /** True if the lock's object has been deleted since. Its holder may not have noticed, and leads as long as it would have otherwise. */
  readonly isGone: boolean;
}

/** Updates the observation: only a changed record proves that its holder is alive. Returns `undefined` if there is no record. */
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
