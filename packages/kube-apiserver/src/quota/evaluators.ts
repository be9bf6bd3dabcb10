import { one } from "../kinds/resource-list.ts";
import { claimEvaluator } from "./claim-evaluator.ts";
import { deviceClaimEvaluator } from "./device-claim-evaluator.ts";
import { podEvaluator } from "./pod-evaluator.ts";
import { countName, type QuotaEvaluator } from "./quota-evaluator.ts";
import { serviceEvaluator } from "./service-evaluator.ts";

const special: ReadonlyMap<string, QuotaEvaluator> = new Map(
  [podEvaluator, serviceEvaluator, claimEvaluator, deviceClaimEvaluator].map((evaluator) => [
    nameOf(evaluator.group, evaluator.resource),
    evaluator,
  ]),
);

/** Resources in the core group that a quota may name with or without the prefix `count/`. */
const plainNames = new Set(["configmaps", "resourcequotas", "replicationcontrollers", "secrets"]);

const uncounted = new Set(["events", "events.events.k8s.io"]);

/**
 * Returns the evaluator for a built-in or custom resource, or `undefined` if quotas ignore the resource.
 *
 * @see pkg/quota/v1/evaluator/core registry.go, pkg/quota/v1/install
 */
export function evaluatorOf(group: string, resource: string): QuotaEvaluator | undefined {
  const name = nameOf(group, resource);
  if (uncounted.has(name)) return undefined;
  return special.get(name) ?? objectCountEvaluator(group, resource);
}

function nameOf(group: string, resource: string): string {
  return group === "" ? resource : `${resource}.${group}`;
}

/** Returns an evaluator that counts only the number of objects. @see apiserver pkg/quota/v1/generic NewObjectCountEvaluator */
function objectCountEvaluator(group: string, resource: string): QuotaEvaluator {
  const names = [countName(group, resource), ...(group === "" && plainNames.has(resource) ? [resource] : [])];
  const usage = Object.fromEntries(names.map((name) => [name, one]));
  return {
    group,
    resource,
    handles: ({ operation, subresource }) => subresource === "" && operation === "CREATE",
    constraint: () => undefined,
    matchingResources: (all) => all.filter((name) => names.includes(name)),
    isInScope: () => false,
    countedAs: names,
    usage: () => usage,
  };
}
