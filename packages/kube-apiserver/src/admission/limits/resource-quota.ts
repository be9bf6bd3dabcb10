import type { DeepReadonly } from "@kubewright/apimachinery";
import type { AdmissionAttributes, AdmissionPlugin } from "@kubewright/apiserver/admission";
import { admissionForbidden } from "@kubewright/apiserver/admission";
import type { Clock } from "@kubewright/clock";
import { formatResourceList } from "../../kinds/resource-list.ts";
import { checkQuota, negativeResources } from "../../quota/check-request.ts";
import { evaluatorOf } from "../../quota/evaluators.ts";
import type { Quota } from "../../quota/quota-scope.ts";

/** Functions that read a namespace's quotas and reserve usage in them. */
export interface QuotaAccess {
  quotas(namespace: string): Promise<readonly DeepReadonly<Quota>[]>;
  /**
   * Replaces the `status.used` of a quota with the result of `decide`. Calls `decide` with the current quota, and again
   * after each conflict.
   */
  reserve(
    namespace: string,
    name: string,
    decide: (current: DeepReadonly<Quota>) => Record<string, string> | undefined,
  ): Promise<void>;
}

/**
 * Rejects requests that would exceed a quota. Each admitted request is added to the quota's usage immediately, so that
 * concurrent requests cannot exceed the quota together. The quota controller corrects the usage after deletions, and
 * after writes that were admitted but failed.
 *
 * @see apiserver pkg/admission/plugin/resourcequota
 */
export function resourceQuota(access: QuotaAccess, clock: Clock): AdmissionPlugin {
  return {
    name: "ResourceQuota",
    handles: (operation) => operation === "CREATE" || operation === "UPDATE",
    async validate(attributes) {
      const { namespace, resource, kind, object, operation, oldObject, subresource } = attributes;
      if (namespace === "" || !object || (kind.group === "" && kind.kind === "Namespace")) return;
      const evaluator = evaluatorOf(resource.group, resource.resource);
      const write = { operation, subresource, object, oldObject };
      if (!evaluator?.handles(write)) return;
      const quotas = await access.quotas(namespace);
      if (quotas.length === 0) return;
      const decide = (quota: DeepReadonly<Quota>): Record<string, string> | undefined => {
        const verdict = checkQuota(quota, write, evaluator, clock.now());
        if (verdict && "refusal" in verdict) throw admissionForbidden(attributes, verdict.refusal);
        return verdict && formatResourceList(verdict.used);
      };
      const concerned = quotas.filter((quota) => decide(quota) !== undefined);
      refuseNegative(attributes, negativeResources(evaluator.usage(object, clock.now())));
      if (attributes.dryRun) return;
      for (const { metadata } of concerned) await access.reserve(namespace, metadata.name, decide);
    },
  };
}

function refuseNegative(attributes: AdmissionAttributes, names: readonly string[]): void {
  if (names.length > 0)
    throw admissionForbidden(attributes, `quota usage is negative for resource(s): ${names.join(",")}`);
}
