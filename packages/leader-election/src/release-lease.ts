import { isConflict, isNotFound } from "@kubewright/apimachinery";
import type { Clock } from "@kubewright/clock";
import type { Budget } from "./budget.ts";
import type { LeaderElectionRecord, ResourceLock } from "./resource-lock.ts";

/** Between two tries to give the lease back where others write it, too. */
const pauseMs = 100;

/**
 * Gives the lease back, so that the next leader need not wait. Somebody else may write in between, perhaps only a label, or our own last
 * renewal arrives late: then it is tried again until the budget is spent.
 *
 * @returns what was written; `undefined` if the lease is another's by now, or gone
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

/** What the lock holds; `undefined` if there is none. */
export const recordOf = (lock: ResourceLock, budget: Budget): Promise<LeaderElectionRecord | undefined> =>
  budget.spend((signal) => lock.get(signal)).catch(nothingIfNotFound);

function nothingIfNotFound(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}
