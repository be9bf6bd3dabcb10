import { State } from "../api/status.ts";
import { nobody, Reason } from "../tell/standing.ts";
import type { Verdict } from "./rule-status.ts";

/** What to say in the rule's status, and when to try again if nothing happens before. */
export interface Conclusion {
  readonly verdict: Verdict;
  readonly retryAfterMs?: number;
}

/**
 * How an attempt ended. `out of date`: the cluster is not as it was when it began, so there is nothing to say about it. `let go`: the
 * object is off the CNF, and the rule has no finalizer of ours any more.
 */
export type Outcome = Conclusion | "out of date" | "let go";

/** There is nothing to do. */
export const idle = (message: string): Conclusion => ({
  verdict: { state: State.idle, message, reason: Reason.noCnf, reachable: nobody },
});
