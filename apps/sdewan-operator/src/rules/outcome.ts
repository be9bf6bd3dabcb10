import { State } from "../api/status.ts";
import { noCnf, Reason } from "../reporting/conditions.ts";
import type { Verdict } from "./rule-status.ts";

/** Status to write, and the delay until the next attempt if nothing triggers an earlier one. */
export interface Conclusion {
  readonly verdict: Verdict;
  readonly retryAfterMs?: number;
}

/**
 * Result of an attempt. `out of date`: the cluster has changed since the attempt began, so its result is invalid. `let go`: the object
 * was deleted on the CNF, and the operator's finalizer was removed from the rule.
 */
export type Outcome = Conclusion | "out of date" | "let go";

/** Returns a status if there is nothing to do. */
export const idle = (message: string): Conclusion => ({
  verdict: { state: State.idle, message, reason: Reason.noCnf, reachable: noCnf },
});
