import { Quantity } from "@kubewright/apimachinery";
import { hasPodResources } from "../pod-resources.ts";
import type { PodSpec } from "./pod-types.ts";

/**
 * Returns the quality-of-service class, which determines the order of eviction: `Guaranteed` if every container has CPU
 * and memory limits that equal its requests, `BestEffort` if no container has requests or limits, and `Burstable`
 * otherwise. If the pod has pod-level requests or limits, these count instead of those of its containers.
 *
 * @see pkg/apis/core/v1/helper/qos ComputePodQOS
 */
export function qosClassOf(spec: PodSpec): "Guaranteed" | "Burstable" | "BestEffort" {
  const containers = hasPodResources(spec) ? [spec] : [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  const amounts = (kind: "limits" | "requests", name: string): (Quantity | undefined)[] =>
    containers.map(({ resources }) => {
      const amount = resources?.[kind]?.[name];
      const quantity = amount === undefined ? undefined : Quantity.parse(amount);
      return quantity && quantity.nanos > 0n ? quantity : undefined;
    });
  const computed = ["cpu", "memory"].map((name) => ({
    limits: amounts("limits", name),
    requests: amounts("requests", name),
  }));
  const isNothing = computed.every(({ limits, requests }) => [...limits, ...requests].every((q) => q === undefined));
  if (isNothing) return "BestEffort";
  const isExact = computed.every(({ limits, requests }) =>
    limits.every((limit, i) => {
      const request = requests[i] ?? limit;
      return limit !== undefined && request !== undefined && limit.compare(request) === 0;
    }),
  );
  return isExact ? "Guaranteed" : "Burstable";
}
