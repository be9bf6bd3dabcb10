import { forbidden, notFound, StatusError } from "@kubewright/apimachinery";
import type { ReadonlyObject } from "../registry/resource.ts";
import type { AdmissionAttributes, AdmissionPlugin } from "./admission.ts";

/** Returns a namespace, or `undefined` if it does not exist. */
export type NamespaceLookup = (name: string) => Promise<ReadonlyObject | undefined>;

const immortal = new Set(["default", "kube-system", "kube-public"]);

/**
 * Returns a plugin that rejects requests to create objects in a missing or terminating namespace, and requests to delete system namespaces.
 *
 * @see apiserver pkg/admission/plugin/namespace/lifecycle
 */
export function namespaceLifecycle(lookup: NamespaceLookup): AdmissionPlugin {
  return {
    name: "NamespaceLifecycle",
    handles: (operation) => operation === "CREATE" || operation === "UPDATE" || operation === "DELETE",

    async admit(attributes) {
      const { operation, resource, name, namespace } = attributes;
      const isNamespace = resource.group === "" && resource.resource === "namespaces";
      if (operation === "DELETE" && isNamespace && immortal.has(name))
        throw forbidden(resource, name, "this namespace may not be deleted");
      if (operation !== "CREATE" || isNamespace || namespace === "") return;
      if (isAccessReview(attributes)) return;
      const found = await lookup(namespace);
      if (!found) throw notFound({ group: "", resource: "namespaces" }, namespace);
      if (found.metadata.deletionTimestamp) throw terminating(attributes);
    },
  };
}

const isAccessReview = ({ resource }: AdmissionAttributes): boolean =>
  resource.group === "authorization.k8s.io" && resource.resource === "localsubjectaccessreviews";

function terminating({ resource, name, namespace }: AdmissionAttributes): StatusError {
  const { status } = forbidden(
    resource,
    name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  );
  const cause = {
    reason: "NamespaceTerminating",
    message: `namespace ${namespace} is being terminated`,
    field: "metadata.namespace",
  };
  return new StatusError({ ...status, details: { ...status.details, causes: [cause] } });
}
