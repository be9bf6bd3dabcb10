import { type DeepReadonly, ignoreAlreadyExists, isNotFound } from "@kubewright/apimachinery";
import type { Namespace } from "@kubewright/client/kinds";
import { isNamespaceTerminating } from "../workload/ignore-gone.ts";

/** Things may still be made in it. */
export const isActive = ({ metadata, status }: DeepReadonly<Namespace>): boolean =>
  metadata.deletionTimestamp === undefined && status?.phase !== "Terminating";

/** There already, or the namespace is going or gone: both need nothing more. */
export function ignoreLostRace(error: unknown): undefined {
  return isNamespaceTerminating(error) || isNotFound(error) ? undefined : ignoreAlreadyExists(error);
}
