import type { DeepReadonly, KubeObject } from "@kubewright/apimachinery";
import { type Quota, type ScopeSelector, scopesOf } from "./quota-scope.ts";
import type { ResourceList } from "./resource-list.ts";

/** An object that a ResourceQuota may count. */
export type CountedObject = DeepReadonly<KubeObject>;

/** A write, as far as counting needs it. */
export interface CountedWrite {
  /** `CREATE`, `UPDATE` or `DELETE`. */
  readonly operation: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** As it is to be; absent for a deletion. */
  readonly object: CountedObject | undefined;
  /** As it was; absent for a creation. */
  readonly oldObject: CountedObject | undefined;
}

/**
 * How objects of one resource are counted.
 *
 * @see apiserver pkg/quota/v1 Evaluator
 */
export interface QuotaEvaluator {
  readonly group: string;
  readonly resource: string;
  /** Whether a write may change what is counted. */
  handles(write: CountedWrite): boolean;
  /** What an object must say to be counted by a quota on these resources; the complaint if it does not. */
  constraint(resources: readonly string[], object: CountedObject): string | undefined;
  /** Which of these names of resources objects of this kind count for. */
  matchingResources(names: readonly string[]): string[];
  /** Whether an object is in a quota's scope. */
  isInScope(scope: ScopeSelector, object: CountedObject): boolean;
  /** Set where every object counts one for each of these names: then it is enough to know how many objects there are. */
  readonly countedAs?: readonly string[];
  /** What one object uses. */
  usage(object: CountedObject, nowMs: number): ResourceList;
}

/** Whether a quota counts an object. @see apiserver pkg/quota/v1/generic Matches */
export function countsObject(
  evaluator: QuotaEvaluator,
  quota: DeepReadonly<Quota>,
  object: CountedObject,
  hard: Readonly<Record<string, unknown>>,
): boolean {
  return (
    evaluator.matchingResources(Object.keys(hard)).length > 0 &&
    scopesOf(quota).every((scope) => evaluator.isInScope(scope, object))
  );
}

/** The name under which every resource can be counted: `count/deployments.apps`. */
export const countName = (group: string, resource: string): string =>
  group === "" ? `count/${resource}` : `count/${resource}.${group}`;
