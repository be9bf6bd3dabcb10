import type { DeepReadonly } from "@kubewright/apimachinery";
import type { RuleStatus } from "../api/status.ts";
import { State } from "../api/status.ts";
import { tellSetback } from "../tell/news.ts";
import { purposeOf, type Rule, type RuleEnvironment } from "./rule.ts";
import { isInForce, standingOf, type Verdict } from "./rule-status.ts";

/**
 * Creates Events for changes in the status of a rule.
 *
 * @param before the previous status
 */
export function tellVerdict(
  { herald }: Pick<RuleEnvironment, "herald">,
  rule: Rule,
  before: DeepReadonly<RuleStatus> | undefined,
  verdict: Verdict,
): void {
  if (verdict.state !== State.inSync) {
    tellSetback(herald, rule, before, standingOf(verdict));
    return;
  }
  const cnf = `the CNF with the purpose ${purposeOf(rule)}`;
  if (verdict.changed && verdict.drifted) herald.tell(rule, "DriftRepaired", `${cnf} had a changed or missing object`);
  else if (verdict.changed || !isInForce(rule, before)) herald.tell(rule, "Applied", `${cnf} has it`);
}
