import { hasStatusCause, ignoreNotFound, isConflict, isForbidden } from "@kubewright/apimachinery";

/**
 * Ignores errors about objects that have been deleted or changed in the meantime, because the resulting event queues
 * the request again. Rethrows all other errors.
 */
export function ignoreGone(error: unknown): undefined {
  return isConflict(error) ? undefined : ignoreNotFound(error);
}

/** True if the request was rejected because nothing can be created in a namespace that is being deleted. */
export const isNamespaceTerminating = (error: unknown): boolean =>
  isForbidden(error) && hasStatusCause(error, "NamespaceTerminating");
