import { isRecord } from "@kubewright/apimachinery";
import type { AdmissionPlugin } from "@kubewright/apiserver/admission";

const seconds = 300;
const keys = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

/**
 * Adds tolerations to pods, so that they remain on a node for five minutes after it becomes unreachable or unready.
 * Pods that already tolerate these conditions are not changed.
 *
 * @see kubernetes plugin/pkg/admission/defaulttolerationseconds
 */
export const defaultTolerationSeconds: AdmissionPlugin = {
  name: "DefaultTolerationSeconds",
  resources: ["pods"],
  handles: (operation) => operation === "CREATE" || operation === "UPDATE",
  admit({ resource, subresource, object }) {
    if (resource.group !== "" || resource.resource !== "pods" || subresource !== "") return;
    if (!object || !isRecord(object.spec)) return;
    const tolerations = Array.isArray(object.spec.tolerations) ? object.spec.tolerations.filter(isRecord) : [];
    const missing = keys.filter((key) => !tolerations.some((toleration) => tolerates(toleration, key)));
    if (missing.length === 0) return;
    const added = missing.map((key) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: seconds }));
    object.spec.tolerations = [...tolerations, ...added];
  },
};

const tolerates = ({ key, effect }: Record<string, unknown>, wanted: string): boolean =>
  (key === wanted || key === undefined || key === "") &&
  (effect === "NoExecute" || effect === undefined || effect === "");
