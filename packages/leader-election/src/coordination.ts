import type { Observed } from "./observed.ts";

/**
 * Reports whether the coordinator assigns the lease to a candidate: the lease names the candidate as its holder, prefers no other holder,
 * and has not expired.
 *
 * @param now monotonic milliseconds, like those of the observation
 * @see client-go tools/leaderelection LeaderElector.tryCoordinatedRenew
 */
export function isNamed(identity: string, observed: Observed | undefined, now: number): boolean {
  if (!observed || observed.isGone) return false;
  const { at, record } = observed;
  if (record.holderIdentity !== identity || record.preferredHolder) return false;
  return now <= at + record.leaseDurationSeconds * 1_000;
}
