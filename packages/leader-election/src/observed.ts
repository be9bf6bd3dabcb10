import type { LeaderElectionRecord } from "./resource-lock.ts";

/** A record and when (on our monotonic clock) we first saw it: other machines' clocks are not trusted. */
export interface Observed {
  readonly record: LeaderElectionRecord;
  readonly at: number;
}

/** Only a record that changed since is a sign of life. */
export function observe(before: Observed | undefined, record: LeaderElectionRecord, now: number): Observed {
  return before && same(before.record, record) ? before : { record, at: now };
}

function same(a: LeaderElectionRecord, b: LeaderElectionRecord): boolean {
  return (
    a.holderIdentity === b.holderIdentity &&
    a.leaseDurationSeconds === b.leaseDurationSeconds &&
    a.acquireTimeMs === b.acquireTimeMs &&
    a.renewTimeMs === b.renewTimeMs &&
    a.leaderTransitions === b.leaderTransitions &&
    a.preferredHolder === b.preferredHolder &&
    a.strategy === b.strategy
  );
}
