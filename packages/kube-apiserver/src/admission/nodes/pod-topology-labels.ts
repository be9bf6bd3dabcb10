import { isRecord } from "@kubewright/apimachinery";
import type { AdmissionPlugin } from "@kubewright/apiserver/admission";
import type { ReadonlyObject } from "@kubewright/apiserver/registry";

const copied = ["topology.kubernetes.io/region", "topology.kubernetes.io/zone"] as const;

/**
 * Copies a node's region and zone labels to the pods that are assigned to it, overwriting any labels with these names.
 * If a new pod already has a node, the labels are set on the pod itself; otherwise, they are set on its binding, from
 * which the server copies them to the pod.
 *
 * @see kubernetes plugin/pkg/admission/podtopologylabels
 */
export function podTopologyLabels(lookup: (node: string) => Promise<ReadonlyObject | undefined>): AdmissionPlugin {
  return {
    name: "PodTopologyLabels",
    resources: ["pods"],
    handles: (operation) => operation === "CREATE",
    async admit({ resource, subresource, object }) {
      if (resource.group !== "" || resource.resource !== "pods" || !object) return;
      const node = subresource === "" ? member(object.spec, "nodeName") : undefined;
      const target = subresource === "binding" && isNode(object.target) ? member(object.target, "name") : undefined;
      const name = node ?? target;
      if (name === undefined || name === "") return;
      const labels = (await lookup(name))?.metadata.labels ?? {};
      for (const key of copied)
        if (labels[key] !== undefined) object.metadata.labels = { ...object.metadata.labels, [key]: labels[key] };
    },
  };
}

const isNode = (target: unknown): boolean => ["", undefined, "Node"].includes(member(target, "kind"));

const member = (value: unknown, name: string): string | undefined =>
  isRecord(value) && typeof value[name] === "string" ? value[name] : undefined;
