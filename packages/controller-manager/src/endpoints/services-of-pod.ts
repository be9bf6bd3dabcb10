import { keyOf, labelSelectorFromLabels } from "@kubewright/apimachinery";
import { type Pod, Service } from "@kubewright/client/kinds";
import { enqueueRequestsFromMapFunc } from "@kubewright/controller";

/** The services that select a pod. */
export const servicesOfPod = enqueueRequestsFromMapFunc<Pod>(async ({ metadata }, { client }) =>
  (await client.list(Service, { namespace: metadata.namespace }))
    .filter(({ spec }) => spec.selector && labelSelectorFromLabels(spec.selector).matches(metadata.labels))
    .map(keyOf),
);
