import type { DeepReadonly, NewObject } from "@kubewright/apimachinery";
import { type PersistentVolumeClaim, type Pod, type PodTemplateSpec, StatefulSet } from "@kubewright/client/kinds";
import { revisionHashLabel } from "../workload/controller-revisions.ts";
import { podFromTemplate } from "../workload/pod-from-template.ts";

const podName = ({ metadata }: DeepReadonly<StatefulSet>, ordinal: number): string => `${metadata.name}-${ordinal}`;

/** Returns the ordinal in a pod's name, or `undefined` if the name does not belong to one of the set's pods. */
export function ordinalOf({ metadata }: DeepReadonly<StatefulSet>, name: string): number | undefined {
  const rest = name.startsWith(`${metadata.name}-`) ? name.slice(metadata.name.length + 1) : "";
  return /^\d+$/.test(rest) ? Number(rest) : undefined;
}

const claimName = (template: string | undefined, set: DeepReadonly<StatefulSet>, ordinal: number): string =>
  `${template}-${podName(set, ordinal)}`;

/** Returns the claims for one of the set's pods. They are kept when the pod is replaced. */
export function claimsOf(
  set: DeepReadonly<StatefulSet>,
  ordinal: number,
): DeepReadonly<NewObject<PersistentVolumeClaim>>[] {
  return (set.spec.volumeClaimTemplates ?? []).map(({ metadata, spec }) => ({
    metadata: {
      name: claimName(metadata?.name, set, ordinal),
      namespace: set.metadata.namespace ?? "",
      labels: { ...metadata?.labels, ...set.spec.selector.matchLabels },
      ...(metadata?.annotations ? { annotations: metadata.annotations } : {}),
    },
    spec: spec ?? {},
  })) as DeepReadonly<NewObject<PersistentVolumeClaim>>[];
}

/**
 * Returns a new pod for a stateful set. The pod has a stable name and host name, and its own claims.
 *
 * @see kubernetes pkg/controller/statefulset newVersionedStatefulSetPod
 */
export function statefulPod(
  set: DeepReadonly<StatefulSet>,
  ordinal: number,
  template: DeepReadonly<PodTemplateSpec>,
  revision: string,
): DeepReadonly<NewObject<Pod>> {
  const pod = podFromTemplate(StatefulSet, set, template);
  const name = podName(set, ordinal);
  const templates = set.spec.volumeClaimTemplates ?? [];
  const claimed = templates.map((each) => ({
    name: each.metadata?.name ?? "",
    persistentVolumeClaim: { claimName: claimName(each.metadata?.name, set, ordinal), readOnly: false },
  }));
  const others = (pod.spec.volumes ?? []).filter((volume) => !claimed.some((each) => each.name === volume.name));
  const volumes = [...claimed, ...others];
  return {
    metadata: {
      ...pod.metadata,
      name,
      labels: {
        ...pod.metadata.labels,
        "statefulset.kubernetes.io/pod-name": name,
        "apps.kubernetes.io/pod-index": String(ordinal),
        [revisionHashLabel]: revision,
      },
    },
    spec: {
      ...pod.spec,
      hostname: name,
      ...(set.spec.serviceName ? { subdomain: set.spec.serviceName } : {}),
      ...(volumes.length > 0 ? { volumes } : {}),
    },
  } as DeepReadonly<NewObject<Pod>>;
}
