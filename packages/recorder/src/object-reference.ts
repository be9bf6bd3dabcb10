import type { DeepReadonly, KubeObject } from "@kubewright/apimachinery";
import type { ObjectReference } from "./event.ts";

/** What an event can be about: any object that knows its kind. A cached object will do. */
export type Referable = DeepReadonly<Pick<KubeObject, "apiVersion" | "kind" | "metadata">>;

/**
 * The reference that an event carries.
 *
 * @throws {Error} if the object does not say of which kind it is, or has no name
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
