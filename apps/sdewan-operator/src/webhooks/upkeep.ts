import type { DefinedKind } from "@kubewright/apimachinery";
import { jsonEqual } from "@kubewright/apimachinery";
import { type AdmissionRequest, decodeRaw } from "@kubewright/webhook";

/**
 * User names of the controllers that delete the content of a terminating namespace and the dependents of deleted
 * owners. The last name is used in clusters in which both controllers share one account.
 */
const keepers: ReadonlySet<string> = new Set([
  "system:serviceaccount:kube-system:namespace-controller",
  "system:serviceaccount:kube-system:generic-garbage-collector",
  "system:kube-controller-manager",
]);

/**
 * Reports whether a request comes from the cluster's own cleanup, which deletes objects or changes only their
 * finalizers or owner references. Such requests must be allowed; otherwise, a namespace with resources in buckets could
 * not be deleted.
 */
export function isUpkeep({ operation, userInfo, object, oldObject }: AdmissionRequest, kind: DefinedKind): boolean {
  if (!keepers.has(userInfo.username)) return false;
  if (operation === "DELETE") return true;
  return operation === "UPDATE" && jsonEqual(essence(object, kind), essence(oldObject, kind));
}

/**
 * Returns an object without the fields that cleanup changes, and without the fields that the server changes along
 * with them.
 */
function essence(raw: unknown, kind: DefinedKind): unknown {
  const object = decodeRaw(raw, kind);
  const { finalizers, ownerReferences, managedFields, resourceVersion, generation, ...metadata } = object.metadata;
  return { ...object, metadata };
}
