import type { DeepReadonly, KubeObject } from "@kubewright/apimachinery";
import type { ObjectReference } from "./event.ts";

/** An object that an event can refer to: any object with its kind, also a cached one. */
export type Referable = DeepReadonly<Pick<KubeObject, "apiVersion" | "kind" | "metadata">>;

/**
 * Returns the reference to an object for an event.
 *
 * @throws {Error} if the object has no apiVersion, kind or name
 * @see client-go tools/reference GetReference
 */
export function referenceTo(object: Referable, fieldPath?: string): ObjectReference {
  const { apiVersion, kind, metadata } = object;
  if (!apiVersion || !kind) throw new Error("cannot refer to an object without apiVersion and kind");
  if (!metadata?.name) throw new Error(`cannot refer to a ${kind} without a name`);
  return {
    apiVersion,
    kind,
    name: metadata.name,
    ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
    ...(metadata.uid ? { uid: metadata.uid } : {}),
    ...(metadata.resourceVersion ? { resourceVersion: metadata.resourceVersion } : {}),
    ...(fieldPath ? { fieldPath } : {}),
  };
}
