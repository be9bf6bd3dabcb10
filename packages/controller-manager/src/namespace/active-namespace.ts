import { type DeepReadonly, ignoreAlreadyExists, isNotFound } from "@kubewright/apimachinery";
import type { Namespace } from "@kubewright/client/kinds";
import { isNamespaceTerminating } from "../workload/ignore-gone.ts";

/** True if objects may still be created in the namespace. */
export const isActive = ({ metadata, status }: DeepReadonly<Namespace>): boolean =>
  metadata.deletionTimestamp === undefined && status?.phase !== "Terminating";

/**
 * Ignores errors that mean that an object already exists, or that its namespace is terminating or was deleted. In these cases, nothing is
 * left to do. Rethrows all other errors.
 */
export function ignoreLostRace(error: unknown): undefined {
  return isNamespaceTerminating(error) || isNotFound(error) ? undefined : ignoreAlreadyExists(error);
}
