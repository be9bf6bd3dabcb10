import { keyOf, labelSelectorFromLabels } from "@kubewright/apimachinery";
import { type Pod, Service } from "@kubewright/client/kinds";
import { enqueueRequestsFromMapFunc } from "@kubewright/controller";

/** Maps a pod to the services that select it. */
export const servicesOfPod = enqueueRequestsFromMapFunc<Pod>(async ({ metadata }, { client }) =>
  (await client.list(Service, { namespace: metadata.namespace }))
    .filter(({ spec }) => spec.selector && labelSelectorFromLabels(spec.selector).matches(metadata.labels))
    .map(keyOf),
);
