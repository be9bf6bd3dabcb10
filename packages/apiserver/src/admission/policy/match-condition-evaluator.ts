import { celType, withAuthorizer } from "@kubewright/cel";
import type { Authorizer } from "../../authorization/authorizer.ts";
import { aggregateText } from "../admission-forbidden.ts";
import type { MatchCondition, MatchConditionEvaluator, MatchOutcome } from "../match-conditions.ts";
import type { NamespaceLookup } from "../namespace-lifecycle.ts";
import { authorizationOf, type CompiledExpression, Evaluation } from "./evaluation.ts";
import { ExpressionScope } from "./expression-scope.ts";

/**
 * Conditions in order: one that is false settles it; otherwise failures count as the failure policy says.
 *
 * @see apiserver pkg/admission/plugin/webhook/matchconditions matcher.Match
 */
export function conditionsOutcome(
  conditions: readonly CompiledExpression[],
  failurePolicy: string,
  evaluation: Evaluation,
): MatchOutcome {
  const errors: string[] = [];
  for (const condition of conditions) {
    const { error, ...rest } = evaluation.evaluate(condition);
    if (error !== undefined) errors.push(error);
    else if ("value" in rest && rest.value === false) return { matches: false };
  }
  if (errors.length === 0) return { matches: true };
  return failurePolicy === "Ignore" ? { matches: false } : { matches: false, error: aggregateText(errors) };
}

/** Conditions of webhooks; each list is compiled once. */
export function matchConditionEvaluator(authorize: Authorizer, namespaces: NamespaceLookup): MatchConditionEvaluator {
  const compiled = new WeakMap<readonly MatchCondition[], CompiledExpression[]>();
  const compile = (conditions: readonly MatchCondition[]): CompiledExpression[] => {
    const scope = new ExpressionScope({ authorizer: true });
    return conditions.map(({ expression }) => ({ expression, compiled: scope.compile(expression, [celType.bool]) }));
  };
  return async (conditions, failurePolicy, seen) => {
    const known = compiled.get(conditions) ?? compile(conditions);
    compiled.set(conditions, known);
    const { attributes } = seen;
    const namespaceObject = attributes.namespace === "" ? undefined : await namespaces(attributes.namespace);
    return withAuthorizer(authorizationOf(authorize, attributes), (ask) =>
      conditionsOutcome(known, failurePolicy, new Evaluation({ ...seen, namespaceObject }, [], ask)),
    );
  };
}
