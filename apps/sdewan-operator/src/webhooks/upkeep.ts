import type { DefinedKind } from "@kubewright/apimachinery";
import { jsonEqual } from "@kubewright/apimachinery";
import { type AdmissionRequest, decodeRaw } from "@kubewright/webhook";

/** Who takes away what is in a namespace that goes, and what nobody owns any more. The last is both where they share an account. */
const keepers: ReadonlySet<string> = new Set([
  "system:serviceaccount:kube-system:namespace-controller",
  "system:serviceaccount:kube-system:generic-garbage-collector",
  "system:kube-controller-manager",
]);

/**
 * Whether the cluster itself clears up: deletes, or changes finalizers or owner references and nothing else. Without leave to do that a
 * namespace with such resources would never go.
 */
export function isUpkeep({ operation, userInfo, object, oldObject }: AdmissionRequest, kind: DefinedKind): boolean {
  if (!keepers.has(userInfo.username)) return false;
  if (operation === "DELETE") return true;
  return operation === "UPDATE" && jsonEqual(essence(object, kind), essence(oldObject, kind));
}

/** An object without what upkeep changes, and what the server changes with it. */
function essence(raw: unknown, kind: DefinedKind): unknown {
  const object = decodeRaw(raw, kind);
  const { finalizers, ownerReferences, managedFields, resourceVersion, generation, ...metadata } = object.metadata;
  return { ...object, metadata };
}
