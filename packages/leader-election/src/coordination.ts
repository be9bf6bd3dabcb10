import type { Observed } from "./observed.ts";

/**
 * Whether a coordinator wants a candidate to hold the lease, now and on: it names nobody else, and prefers nobody else.
 *
 * @param now monotonic milliseconds, as those of the observation
 * @see client-go tools/leaderelection LeaderElector.tryCoordinatedRenew
 */
export function isNamed(identity: string, observed: Observed | undefined, now: number): boolean {
  if (!observed || observed.isGone) return false;
  const { at, record } = observed;
  if (record.holderIdentity !== identity || record.preferredHolder) return false;
  return now <= at + record.leaseDurationSeconds * 1_000;
}
