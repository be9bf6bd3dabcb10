import type { DeepReadonly, KubeObject } from "@kubewright/apimachinery";
import type { ResourceList } from "../kinds/resource-list.ts";
import { type Quota, type ScopeSelector, scopesOf } from "./quota-scope.ts";

/** An object that a ResourceQuota may count. */
export type CountedObject = DeepReadonly<KubeObject>;

/** The properties of a write that are needed to count its object. */
export interface CountedWrite {
  /** Operation: `CREATE`, `UPDATE` or `DELETE`. */
  readonly operation: string;
  /** Subresource of the write. It is empty for a write to the object itself. */
  readonly subresource: string;
  /** The new object; absent for a deletion. */
  readonly object: CountedObject | undefined;
  /** The old object; absent for a creation. */
  readonly oldObject: CountedObject | undefined;
}

/**
 * Counts a resource's objects and their usage for quotas.
 *
 * @see apiserver pkg/quota/v1 Evaluator
 */
export interface QuotaEvaluator {
  readonly group: string;
  readonly resource: string;
  /** Reports whether a write may change the count. */
  handles(write: CountedWrite): boolean;
  /** Returns an error if an object lacks values that a quota for these resources requires. */
  constraint(resources: readonly string[], object: CountedObject): string | undefined;
  /** Returns those names in a quota under which this evaluator counts objects. */
  matchingResources(names: readonly string[]): string[];
  /** Reports whether an object is in a quota's scope. */
  isInScope(scope: ScopeSelector, object: CountedObject): boolean;
  /**
   * Names under which each object counts as one, so that the number of objects is the usage. Absent if objects count
   * differently.
   */
  readonly countedAs?: readonly string[] | undefined;
  /** Returns the usage of one object. */
  usage(object: CountedObject, nowMs: number): ResourceList;
}

/** Reports whether a quota counts an object. @see apiserver pkg/quota/v1/generic Matches */
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

/** Returns the name under which quotas can count a resource's objects, such as `count/deployments.apps`. */
export const countName = (group: string, resource: string): string =>
  group === "" ? `count/${resource}` : `count/${resource}.${group}`;
