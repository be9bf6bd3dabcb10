import type { DeepReadonly, KubeObject } from "./object.ts";

/**
 * Adds a finalizer to the object, which is modified. Returns true if it was not present.
 *
 * @see controller-runtime controllerutil AddFinalizer
 */
export function addFinalizer(object: Pick<KubeObject, "metadata">, finalizer: string): boolean {
  if (hasFinalizer(object, finalizer)) return false;
  object.metadata.finalizers = [...(object.metadata.finalizers ?? []), finalizer];
  return true;
}

/**
 * Removes all occurrences of a finalizer from the object, which is modified. Returns true if the object had
 * the finalizer.
 *
 * @see controller-runtime controllerutil RemoveFinalizer
 *
 */
export function removeFinalizer(object: Pick<KubeObject, "metadata">, finalizer: string): boolean {
  if (!hasFinalizer(object, finalizer)) return false;
  const rest = (object.metadata.finalizers ?? []).filter((existing) => existing !== finalizer);
  if (rest.length > 0) object.metadata.finalizers = rest;
  else delete object.metadata.finalizers;
  return true;
}

/** Reports whether the object has the finalizer. @see controller-runtime controllerutil ContainsFinalizer */
export function hasFinalizer(object: DeepReadonly<Pick<KubeObject, "metadata">>, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false;
}
