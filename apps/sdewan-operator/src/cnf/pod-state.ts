import { isIPv4 } from "node:net";
import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import { endpointAnnotation } from "../api/group.ts";

/**
 * Reports whether a pod may run an OpenWrt instance to which the operator should connect, now or as soon as the pod has
 * an address.
 */
export function isCurrent(pod: DeepReadonly<Pod>): boolean {
  const ended = pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
  return !pod.metadata.deletionTimestamp && !ended;
}

export function isReady(pod: DeepReadonly<Pod>): boolean {
  return pod.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
}

/** Returns all addresses of a pod, primary address first. */
export function addressesOf({ status }: DeepReadonly<Pod>): readonly string[] {
  const all = [status?.podIP, ...(status?.podIPs ?? []).map(({ ip }) => ip)];
  return [...new Set(all.flatMap((address) => address || []))];
}

/** Returns a pod's first IPv4 address, whether or not it is the primary address. */
export const ipv4Of = (pod: DeepReadonly<Pod>): string | undefined =>
  addressesOf(pod).find((address) => isIPv4(address));

/** Returns the number of container restarts in a pod. */
export const restartsOf = ({ status }: DeepReadonly<Pod>): number =>
  (status?.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0);

/**
 * Returns an identifier that changes whenever one of a pod's containers starts. A CNF keeps its state in the container,
 * so it has no configuration after starting.
 */
export function lifeOf(pod: DeepReadonly<Pod>): string {
  const lives = (pod.status?.containerStatuses ?? [])
    .map(({ name, restartCount, state }) => `${name}:${restartCount}:${state?.running?.startedAt ?? ""}`)
    .toSorted();
  return [pod.metadata.uid, pod.status?.podIP, pod.metadata.annotations?.[endpointAnnotation], ...lives].join(" ");
}
