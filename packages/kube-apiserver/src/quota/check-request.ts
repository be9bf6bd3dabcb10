import type { DeepReadonly } from "@kubewright/apimachinery";
import { ownMember } from "@kubewright/apimachinery";
import {
  addResources,
  exceedingResources,
  maskResources,
  parseResourceList,
  type ResourceList,
  resourcesText,
  subtractResources,
  withoutZeros,
} from "../kinds/resource-list.ts";
import { type CountedObject, type CountedWrite, countsObject, type QuotaEvaluator } from "./quota-evaluator.ts";
import type { Quota } from "./quota-scope.ts";

/**
 * The effect of a write on a quota: the increased usage, or a rejection with upstream's message. `undefined` if the
 * quota does not apply to the write.
 */
export type QuotaVerdict = { readonly used: ResourceList } | { readonly refusal: string } | undefined;

/**
 * Checks whether a quota allows a write.
 *
 * @see apiserver pkg/admission/plugin/resourcequota CheckRequest
 */
export function checkQuota(
  quota: DeepReadonly<Quota>,
  write: CountedWrite & { readonly object: CountedObject },
  evaluator: QuotaEvaluator,
  nowMs: number,
): QuotaVerdict {
  const { object, oldObject, operation, subresource } = write;
  const hard = parseResourceList(quota.status?.hard);
  const used = parseResourceList(quota.status?.used);
  if (!countsObject(evaluator, quota, object, hard)) return undefined;
  const { name } = quota.metadata;
  const resources = evaluator.matchingResources(Object.keys(hard));
  const complaint = evaluator.constraint(resources, object);
  if (complaint) return { refusal: `failed quota: ${name}: ${complaint}` };
  if (resources.some((each) => ownMember(used, each) === undefined))
    return { refusal: `status unknown for quota: ${name}, resources: ${resources.toSorted().join(",")}` };
  let delta = evaluator.usage(object, nowMs);
  if (operation === "UPDATE" && oldObject && countsObject(evaluator, quota, oldObject, hard))
    delta = subtractResources(delta, evaluator.usage(oldObject, nowMs));
  const requested = maskResources(withoutZeros(delta), Object.keys(hard));
  if (Object.keys(requested).length === 0) return undefined;
  const total = addResources(used, requested);
  const exceeded = exceedingResources(maskResources(total, Object.keys(requested)), hard);
  if (exceeded.length > 0 && subresource !== "status") {
    const [asked, before, limit] = [requested, used, hard].map((list) => resourcesText(maskResources(list, exceeded)));
    return { refusal: `exceeded quota: ${name}, requested: ${asked}, used: ${before}, limited: ${limit}` };
  }
  return { used: total };
}

/** Returns the resources for which a write requests a negative amount. */
export const negativeResources = (usage: ResourceList): string[] =>
  Object.keys(usage)
    .filter((name) => (usage[name]?.nanos ?? 0n) < 0n)
    .sort();
