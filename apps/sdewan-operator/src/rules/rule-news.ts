import type { DeepReadonly } from "@kubewright/apimachinery";
import type { RuleStatus } from "../api/status.ts";
import { State } from "../api/status.ts";
import { tellSetback } from "../tell/news.ts";
import { purposeOf, type Rule, type RuleEnvironment } from "./rule.ts";
import { isInForce, standingOf, type Verdict } from "./rule-status.ts";

/** Tells what is new about a rule. @param before its status before this */
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
  if (verdict.changed && verdict.drifted)
    herald.tell(rule, "DriftRepaired", `${cnf} held it otherwise than it was left`);
  else if (verdict.changed || !isInForce(rule, before)) herald.tell(rule, "Applied", `${cnf} has it`);
}
