import type { DeepReadonly, KubeObject } from "./object.ts";

/**
 * Adds a finalizer to an object in place. Returns true if the object did not have the finalizer before.
 *
 * @see controller-runtime controllerutil AddFinalizer
 */
export function addFinalizer(object: Pick<KubeObject, "metadata">, finalizer: string): boolean {
  if (hasFinalizer(object, finalizer)) return false;
  object.metadata.finalizers = [...(object.metadata.finalizers ?? []), finalizer];
  return true;
}

/**
 * Removes all occurrences of a finalizer from an object in place. Returns true if the object had the finalizer.
 *
 * @see controller-runtime controllerutil RemoveFinalizer
 */
export function removeFinalizer(object: Pick<KubeObject, "metadata">, finalizer: string): boolean {
  if (!hasFinalizer(object, finalizer)) return false;
  const rest = (object.metadata.finalizers ?? []).filter((existing) => existing !== finalizer);
  if (rest.length > 0) object.metadata.finalizers = rest;
  else delete object.metadata.finalizers;
  return true;
}

/** Reports whether an object has a finalizer. @see controller-runtime controllerutil ContainsFinalizer */
export function hasFinalizer(object: DeepReadonly<Pick<KubeObject, "metadata">>, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false;
}
