import type { DeepReadonly, KubeObject, OwnerReference } from "./object.ts";

/** A reference to the owner that manages an object. */
export interface ControllerReference extends OwnerReference {
  readonly controller: true;
  readonly blockOwnerDeletion: true;
}

/**
 * The reference that makes `owner` the managing controller, as a value for what one applies:
 * `metadata: { name, namespace, ownerReferences: [controllerReference(owner)] }`.
 *
 * @throws {Error} if the owner has no uid yet
 * @see apimachinery apis/meta/v1 NewControllerRef
 */
export function controllerReference(owner: DeepReadonly<KubeObject>): ControllerReference {
  const { apiVersion, kind } = owner;
  const { name, uid } = owner.metadata;
  if (!uid) throw new Error(`${kind} "${name}" has no uid yet: create it before it owns anything`);
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}
