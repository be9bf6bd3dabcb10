import { State } from "../api/status.ts";
import { nobody, Reason } from "../tell/standing.ts";
import type { Verdict } from "./rule-status.ts";

/** The status to write, and when to retry if nothing happens before. */
export interface Conclusion {
  readonly verdict: Verdict;
  readonly retryAfterMs?: number;
}

/**
 * Result of an attempt. `out of date`: the cluster has changed since the attempt began, so its result means nothing. `let go`: the object
 * is off the CNF, and the rule no longer has the operator's finalizer.
 */
export type Outcome = Conclusion | "out of date" | "let go";

/** Returns a conclusion if there is nothing to do. */
export const idle = (message: string): Conclusion => ({
  verdict: { state: State.idle, message, reason: Reason.noCnf, reachable: nobody },
});
