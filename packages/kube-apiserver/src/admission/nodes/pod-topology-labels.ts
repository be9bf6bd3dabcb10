import { isRecord } from "@kubewright/apimachinery";
import type { AdmissionPlugin } from "@kubewright/apiserver/admission";
import type { ReadonlyObject } from "@kubewright/apiserver/registry";

const copied = ["topology.kubernetes.io/region", "topology.kubernetes.io/zone"] as const;

/**
 * Sets the region and zone of a pod's node as labels, replacing the pod's own: on create if the pod has a node, or otherwise on its
 * binding, from which the pod takes the labels.
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
