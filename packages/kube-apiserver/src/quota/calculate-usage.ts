import { type DeepReadonly, Quantity } from "@kubewright/apimachinery";
import { addResources, maskResources, type ResourceList, zero } from "../kinds/resource-list.ts";
import type { CountedObject, QuotaEvaluator } from "./quota-evaluator.ts";
import { type Quota, scopesOf } from "./quota-scope.ts";

/** Provides the objects in a quota's namespace. */
export interface NamespaceContent {
  objectsOf(evaluator: QuotaEvaluator): Promise<Iterable<CountedObject>>;
  countOf(evaluator: QuotaEvaluator): Promise<number>;
}

/**
 * Returns the current usage of all resources in a quota's `spec.hard`.
 *
 * @param evaluators evaluators of all resources that quotas can count
 *
 * @see apiserver pkg/quota/v1 CalculateUsage
 */
export async function calculateUsage(
  quota: DeepReadonly<Quota>,
  evaluators: Iterable<QuotaEvaluator>,
  content: NamespaceContent,
  nowMs: number,
): Promise<ResourceList> {
  const names = Object.keys(quota.spec?.hard ?? {});
  const scopes = scopesOf(quota);
  let used: ResourceList = {};
  for (const evaluator of evaluators) {
    const counted = evaluator.matchingResources(names);
    if (counted.length === 0) continue;
    let sum: ResourceList = Object.fromEntries(counted.map((name) => [name, zero]));
    if (evaluator.countedAs) {
      const count = scopes.length === 0 ? await content.countOf(evaluator) : 0;
      sum = Object.fromEntries(counted.map((name) => [name, Quantity.parse(count)]));
    } else {
      for (const object of await content.objectsOf(evaluator))
        if (scopes.every((scope) => evaluator.isInScope(scope, object)))
          sum = addResources(sum, evaluator.usage(object, nowMs));
    }
    used = { ...used, ...maskResources(sum, counted) };
  }
  return used;
}
