import { celType, withAuthorizer } from "@kubewright/cel";
import type { Authorizer } from "../../authorization/authorizer.ts";
import { aggregateText } from "../admission-forbidden.ts";
import type { MatchCondition, MatchConditionEvaluator, MatchOutcome } from "../match-conditions.ts";
import type { NamespaceLookup } from "../namespace-lifecycle.ts";
import { authorizationOf, type CompiledExpression, Evaluation, OutOfBudget } from "./evaluation.ts";
import { ExpressionScope } from "./expression-scope.ts";

/**
 * Cost budget that all match conditions of a webhook or policy share for one request.
 *
 * @see apiserver pkg/apis/cel RuntimeCELCostBudgetMatchConditions
 */
const conditionsBudget = 2_500_000;

/**
 * Evaluates match conditions in order. If one of them is false, the request does not match. If a condition cannot be
 * evaluated and no other condition is false, the failure policy applies.
 *
 * @see apiserver pkg/admission/plugin/webhook/matchconditions matcher.Match
 */
export function conditionsOutcome(
  conditions: readonly CompiledExpression[],
  failurePolicy: string,
  evaluation: Evaluation,
): MatchOutcome {
  const failed = (error: string): MatchOutcome =>
    failurePolicy === "Ignore" ? { matches: false } : { matches: false, error };
  const errors: string[] = [];
  evaluation.allow(conditionsBudget);
  try {
    for (const condition of conditions) {
      const { error, ...rest } = evaluation.evaluate(condition);
      if (error !== undefined) errors.push(error);
      else if ("value" in rest && rest.value === false) return { matches: false };
    }
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error;
    return failed(error.message);
  }
  return errors.length === 0 ? { matches: true } : failed(aggregateText(errors));
}

/** Returns a function that evaluates webhooks' match conditions. It compiles each list of conditions only once. */
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
