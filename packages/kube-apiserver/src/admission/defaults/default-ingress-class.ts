import { isRecord } from "@kubewright/apimachinery";
import type { AdmissionPlugin } from "@kubewright/apiserver/admission";
import type { ReadonlyObject } from "@kubewright/apiserver/registry";
import { defaultClass } from "./default-class.ts";

/**
 * Sets the default class on new Ingresses without a class.
 *
 * @see kubernetes plugin/pkg/admission/network/defaultingressclass
 */
export function defaultIngressClass(classes: () => Promise<readonly ReadonlyObject[]>): AdmissionPlugin {
  return {
    name: "DefaultIngressClass",
    resources: ["ingresses.networking.k8s.io"],
    handles: (operation) => operation === "CREATE",
    async admit({ resource, subresource, object }) {
      if (resource.group !== "networking.k8s.io" || resource.resource !== "ingresses" || subresource !== "") return;
      if (!object || object.metadata.annotations?.["kubernetes.io/ingress.class"] !== undefined) return;
      const spec = isRecord(object.spec) ? object.spec : {};
      if (spec.ingressClassName !== undefined) return;
      const found = defaultClass(await classes(), ["ingressclass.kubernetes.io/is-default-class"]);
      if (found) object.spec = { ...spec, ingressClassName: found.metadata.name };
    },
  };
}
