import { codeOf, isRefusal } from "../cnf/cnf-error.ts";

/** The CNF said: not yet. What it waits for usually takes seconds. */
const preconditionMs = 5_000;
const firstMs = 1_000;
/** Something is broken that somebody will repair: keep trying. */
const longestMs = 60_000;
/** The CNF refuses the object, perhaps for something that is still to come. */
const longestRefusedMs = 300_000;

/**
 * How long to wait before the next try.
 *
 * @param failures how many tries have failed in a row, this one included
 */
export function retryDelayMs(error: unknown, failures: number): number {
  const code = codeOf(error);
  if (code === 428) return preconditionMs;
  const grownMs = firstMs * 2 ** Math.min(failures - 1, 20);
  return Math.min(grownMs, isRefusal(error) ? longestRefusedMs : longestMs);
}

/** The same for a delete: a refusal means that something still uses the object. */
export function deleteRetryDelayMs(error: unknown, failures: number): number {
  return codeOf(error) === 400 ? preconditionMs : retryDelayMs(error, failures);
}
