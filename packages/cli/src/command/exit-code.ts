import { findCause, StatusError } from "@kubewright/apimachinery";
import { isConnectionError, isKubeConfigError } from "@kubewright/client";
import { UsageError } from "./errors.ts";

/**
 * Returns the exit code for an error: 1 for a failure, 2 for wrong usage, 3 if the cluster rejected the request or is
 * unreachable.
 */
export function exitCodeOf(error: unknown): 1 | 2 | 3 {
  if (error instanceof UsageError) return 2;
  if (isKubeConfigError(error) || isConnectionError(error)) return 3;
  const refusal = findCause(error, (cause): cause is StatusError => cause instanceof StatusError);
  return refusal ? 3 : 1;
}
