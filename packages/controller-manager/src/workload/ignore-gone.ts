import { hasStatusCause, ignoreNotFound, isConflict, isForbidden } from "@kubewright/apimachinery";

/** Ignores an object that is deleted or was changed meanwhile: its event enqueues the request again. */
export function ignoreGone(error: unknown): undefined {
  return isConflict(error) ? undefined : ignoreNotFound(error);
}

/** True if the request was refused because the namespace is being deleted, so nothing can be created there. */
export const isNamespaceTerminating = (error: unknown): boolean =>
  isForbidden(error) && hasStatusCause(error, "NamespaceTerminating");
