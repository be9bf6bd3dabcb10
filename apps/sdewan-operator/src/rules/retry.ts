import { codeOf, isRefusal } from "../cnf/cnf-error.ts";

/** Delay after the CNF reports a failed precondition, which is usually met within seconds. */
const preconditionMs = 5_000;
const firstMs = 1_000;
/** Maximum delay after a failure whose cause is likely to be fixed soon. */
const maxMs = 60_000;
/** Maximum delay after the CNF refuses the object, perhaps because another object does not exist yet. */
const maxRefusedMs = 300_000;

/**
 * Delay in milliseconds if another rule has the name. Usually, the next attempt is triggered earlier, when the other
 * rule releases the name.
 */
export const conflictRetryMs = 60_000;

/**
 * Returns the delay until the next attempt.
 *
 * @param failures number of consecutive failures, including this one
 */
export function retryDelayMs(error: unknown, failures: number): number {
  const code = codeOf(error);
  if (code === 428) return preconditionMs;
  const grownMs = firstMs * 2 ** Math.min(failures - 1, 20);
  return Math.min(grownMs, isRefusal(error) ? maxRefusedMs : maxMs);
}

/**
 * Returns the delay until the next attempt to delete an object. If the CNF rejects the deletion, the object is still in
 * use.
 */
export function deleteRetryDelayMs(error: unknown, failures: number): number {
  return codeOf(error) === 400 ? preconditionMs : retryDelayMs(error, failures);
}
