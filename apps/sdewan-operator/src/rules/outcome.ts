import { State } from "../api/status.ts";
import type { Cnf } from "../cnf/discovery.ts";
import { noCnf, Reason } from "../reporting/conditions.ts";
import type { RuleResult, Staged } from "./rule-status.ts";

/** The status to write, and the delay until the next attempt unless something triggers an earlier attempt. */
export interface Conclusion {
  readonly result: RuleResult;
  readonly retryAfterMs?: number;
  /** The CNF to which the rule was applied. */
  readonly cnf?: Cnf;
  /** The rollout in stages; null if the CNF has no stages, undefined if it is unknown. */
  readonly staged?: Staged | null;
}

/**
 * Result of an attempt. `outdated` means that the cluster has changed since the attempt began, so the result is not
 * valid. `released` means that the object was deleted on the CNF and the operator's finalizer was removed from the
 * rule.
 */
export type Outcome = Conclusion | "outdated" | "released";

/** Returns the conclusion for a rule that needs no action. */
export const idle = (message: string): Conclusion => ({
  result: { state: State.idle, message, reason: Reason.noCnf, reachable: noCnf },
});
