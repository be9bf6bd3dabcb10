import { purposeLabel } from "../api/group.ts";
import { State } from "../api/status.ts";
import { AmbiguousCnfError, type Cnf, CnfOutOfScopeError, findCnf } from "../cnf/discovery.ts";
import { InvalidSpecError } from "../uci/cnf-kind.ts";
import type { FailureHandler } from "./failure-handler.ts";
import { type Conclusion, idle } from "./outcome.ts";
import { purposeOf } from "./rule.ts";
import { type Attempt, type RuleEnvironment, searchScopeOf } from "./rule-environment.ts";

/**
 * Returns the CNF with the given purpose that a rule may configure. If there is none or more than one, returns the
 * resulting status instead. A former CNF is returned without its stages, because a rule's status describes only the
 * stages of the rule's current CNF.
 */
export async function cnfOfRule(
  environment: RuleEnvironment,
  failureHandler: FailureHandler,
  { rule, client }: Attempt,
  purpose: string | undefined,
): Promise<Cnf | Conclusion> {
  try {
    const cnf = await findCnf(client, purpose, searchScopeOf(environment, rule));
    if (cnf && purpose !== purposeOf(rule)) return { deployment: cnf.deployment, pods: cnf.pods };
    if (cnf?.stageProblem !== undefined)
      return failureHandler.failed(rule, State.applying, new InvalidSpecError(cnf.stageProblem));
    return cnf ?? idle(purpose === undefined ? `No label ${purposeLabel}` : `No CNF has the purpose ${purpose}`);
  } catch (error) {
    if (error instanceof CnfOutOfScopeError) return idle(error.message);
    if (!(error instanceof AmbiguousCnfError)) throw error;
    return failureHandler.failed(rule, State.unknown, error);
  }
}
