import { findCause, StatusError } from "@kubewright/apimachinery";
import { isConnectionError, isKubeConfigError } from "@kubewright/client";
import { UsageError } from "./errors.ts";

/** 0 done; 1 not so; 2 usage; 3 the cluster refused, or was not reached. */
export function exitCodeOf(error: unknown): 1 | 2 | 3 {
  if (error instanceof UsageError) return 2;
  if (isKubeConfigError(error) || isConnectionError(error)) return 3;
  const refusal = findCause(error, (cause): cause is StatusError => cause instanceof StatusError);
  return refusal ? 3 : 1;
}
