import { isConflict, isNotFound } from "@kubewright/apimachinery";
import type { Clock } from "@kubewright/clock";
import type { Budget } from "./budget.ts";
import type { LeaderElectionRecord, ResourceLock } from "./resource-lock.ts";

/** Time between two tries to release the lease if other clients write it as well. */
const pauseMs = 100;

/**
 * Releases the lease, so that the next leader need not wait. Another client may write in between, for example a label, or a late renewal
 * of this process may arrive: then the release is retried until the budget is spent.
 *
 * @returns the written record; `undefined` if the lease belongs to another process by now, or was deleted
 */
export async function releaseLease(
  lock: ResourceLock,
  clock: Clock,
  budget: Budget,
): Promise<LeaderElectionRecord | undefined> {
  for (let conflicts = 0; ; conflicts++) {
    if (conflicts > 1) await clock.sleep(pauseMs, budget.signal);
    const seen = await recordOf(lock, budget);
    if (seen?.holderIdentity !== lock.identity) return undefined;
    const now = clock.now();
    const free = { ...seen, holderIdentity: "", leaseDurationSeconds: 1, renewTimeMs: now, acquireTimeMs: now };
    try {
      await budget.spend((signal) => lock.update(free, signal));
      return free;
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
}

/** Returns the record of the lock; `undefined` if there is none. */
export const recordOf = (lock: ResourceLock, budget: Budget): Promise<LeaderElectionRecord | undefined> =>
  budget.spend((signal) => lock.get(signal)).catch(nothingIfNotFound);

function nothingIfNotFound(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}
