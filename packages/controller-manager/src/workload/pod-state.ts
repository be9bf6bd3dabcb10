import { type DeepReadonly, isConditionTrue } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";

/** True if the pod is neither finished nor being deleted. */
export function isPodActive(pod: DeepReadonly<Pod>): boolean {
  const phase = pod.status?.phase;
  return phase !== "Succeeded" && phase !== "Failed" && pod.metadata.deletionTimestamp === undefined;
}

export function isPodReady(pod: DeepReadonly<Pod>): boolean {
  return isConditionTrue(pod.status?.conditions, "Ready");
}

/**
 * Returns the time at which a ready pod becomes available, in milliseconds since 1970. A pod becomes available once it
 * has been ready for `minReadySeconds`. Returns `undefined` if the pod is not ready.
 */
export function availableAt(pod: DeepReadonly<Pod>, minReadySeconds: number): number | undefined {
  if (!isPodReady(pod)) return undefined;
  const since = pod.status?.conditions?.find(({ type }) => type === "Ready")?.lastTransitionTime;
  return (since ? Date.parse(since) : 0) + minReadySeconds * 1_000;
}
