import { type DeepReadonly, ignoreAlreadyExists, isNotFound } from "@kubewright/apimachinery";
import type { Namespace } from "@kubewright/client/kinds";
import { isNamespaceTerminating } from "../workload/ignore-gone.ts";

/** True if objects may still be created in the namespace. */
export const isActive = ({ metadata, status }: DeepReadonly<Namespace>): boolean =>
  metadata.deletionTimestamp === undefined && status?.phase !== "Terminating";

/**
 * Ignores errors caused by an object that already exists, or by a namespace that is terminating or has been deleted,
 * because nothing is left to do in these cases. Rethrows all other errors.
 */
export function ignoreLostRace(error: unknown): undefined {
  return isNamespaceTerminating(error) || isNotFound(error) ? undefined : ignoreAlreadyExists(error);
}
