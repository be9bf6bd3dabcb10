import type { DeepReadonly } from "@kubewright/apimachinery";
import type { HorizontalPodAutoscaler } from "@kubewright/client/kinds";

type Metric = NonNullable<NonNullable<DeepReadonly<HorizontalPodAutoscaler>["spec"]>["metrics"]>[number];

/**
 * Returns the reason and message for the condition about an unavailable metric. The development control plane has no
 * metrics API, so both texts are those that kube-controller-manager writes in a cluster without this API.
 */
export function unmetMetric(
  metric: Metric | undefined,
  namespace: string,
): { readonly reason: string; readonly error: string } {
  const resource = metric?.resource ?? metric?.containerResource;
  if (metric?.type === "Pods" || metric?.type === "Object")
    return {
      reason: metric.type === "Pods" ? "FailedGetPodsMetric" : "FailedGetObjectMetric",
      error: `unable to get metric ${(metric.pods ?? metric.object)?.metric.name}: unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered`,
    };
  if (metric?.type === "External") {
    const { name } = metric.external?.metric ?? {};
    return {
      reason: "FailedGetExternalMetric",
      error: `unable to get external metric ${namespace}/${name}/nil: unable to fetch metrics from external metrics API: the server could not find the requested resource (get ${name}.external.metrics.k8s.io)`,
    };
  }
  const name = resource?.name ?? "cpu";
  const asked = resource?.target.averageValue === undefined ? "utilization" : "usage";
  return {
    reason: metric?.containerResource ? "FailedGetContainerResourceMetric" : "FailedGetResourceMetric",
    error: `failed to get ${name} ${asked}: unable to get metrics for resource ${name}: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)`,
  };
}
