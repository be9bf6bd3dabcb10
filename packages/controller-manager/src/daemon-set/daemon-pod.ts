import type { DeepReadonly, NewObject } from "@kubewright/apimachinery";
import { DaemonSet, type Pod } from "@kubewright/client/kinds";
import { revisionHashLabel } from "../workload/controller-revisions.ts";
import { podFromTemplate } from "../workload/pod-from-template.ts";

/** Tolerations that every daemon pod has in addition to its template's tolerations. */
export const daemonTolerations = [
  { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/disk-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/memory-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/pid-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/unschedulable", operator: "Exists", effect: "NoSchedule" },
];

/**
 * Returns a daemon set's pod for a node. The pod's affinity makes the scheduler assign it to that node.
 *
 * @see kubernetes pkg/controller/daemon/util CreatePodTemplate
 */
export function daemonPod(set: DeepReadonly<DaemonSet>, node: string, revision: string): DeepReadonly<NewObject<Pod>> {
  const pod = podFromTemplate(DaemonSet, set, set.spec.template);
  const { metadata, spec } = pod;
  const term = { matchFields: [{ key: "metadata.name", operator: "In", values: [node] }] };
  return {
    metadata: {
      ...metadata,
      labels: {
        ...metadata.labels,
        [revisionHashLabel]: revision,
        "pod-template-generation": set.metadata.annotations?.["deprecated.daemonset.template.generation"] ?? "1",
      },
    },
    spec: {
      ...spec,
      affinity: {
        ...spec.affinity,
        nodeAffinity: {
          ...spec.affinity?.nodeAffinity,
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] },
        },
      },
      tolerations: [...(spec.tolerations ?? []), ...daemonTolerations],
    },
  };
}

/** Returns the name of the node on which a daemon set's pod runs or is meant to run. */
export function nodeOf({ spec }: DeepReadonly<Pod>): string | undefined {
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return spec.nodeName || terms?.[0]?.matchFields?.find(({ key }) => key === "metadata.name")?.values?.[0];
}
