import { codeOf, isRefusal } from "../cnf/cnf-error.ts";

/** Delay if the CNF reports a failed precondition, which usually takes seconds to be met. */
const preconditionMs = 5_000;
const firstMs = 1_000;
/** Maximum delay if something is broken and will be repaired. */
const longestMs = 60_000;
/** Maximum delay if the CNF refuses the object, perhaps because another one does not exist yet. */
const longestRefusedMs = 300_000;

/** Delay if another rule has the name. Usually, the release of the name triggers an attempt earlier. */
export const rivalMs = 60_000;

/**
 * Returns the delay until the next attempt.
 *
 * @param failures number of consecutive failures, including this one
 */
export function retryDelayMs(error: unknown, failures: number): number {
  const code = codeOf(error);
  if (code === 428) return preconditionMs;
  const grownMs = firstMs * 2 ** Math.min(failures - 1, 20);
  return Math.min(grownMs, isRefusal(error) ? longestRefusedMs : longestMs);
}

/** Returns the delay for a deletion. A refusal means that the object is still in use. */
export function deleteRetryDelayMs(error: unknown, failures: number): number {
  return codeOf(error) === 400 ? preconditionMs : retryDelayMs(error, failures);
}
