import { hasStatusCause, ignoreNotFound, isConflict, isForbidden } from "@kubewright/apimachinery";

/** Gone already, or changed by somebody else meanwhile: its event brings us back. */
export function ignoreGone(error: unknown): undefined {
  return isConflict(error) ? undefined : ignoreNotFound(error);
}

/** Refused because the namespace is on its way out: nothing is to be made there any more. */
export const isNamespaceTerminating = (error: unknown): boolean =>
  isForbidden(error) && hasStatusCause(error, "NamespaceTerminating");
