import { isRecord } from "@kubewright/apimachinery";
import type { AdmissionPlugin } from "@kubewright/apiserver/admission";

const notReady = "node.kubernetes.io/not-ready";

/**
 * Taints new nodes as not ready. A controller removes the taint when the node is ready.
 *
 * @see kubernetes plugin/pkg/admission/nodetaint
 */
export const taintNodesByCondition: AdmissionPlugin = {
  name: "TaintNodesByCondition",
  resources: ["nodes"],
  handles: (operation) => operation === "CREATE",
  admit({ resource, subresource, object }) {
    if (resource.group !== "" || resource.resource !== "nodes" || subresource !== "" || !object) return;
    const spec = isRecord(object.spec) ? object.spec : {};
    const taints = Array.isArray(spec.taints) ? spec.taints.filter(isRecord) : [];
    if (taints.some(({ key, effect }) => key === notReady && effect === "NoSchedule")) return;
    object.spec = { ...spec, taints: [...taints, { key: notReady, effect: "NoSchedule" }] };
  },
};
