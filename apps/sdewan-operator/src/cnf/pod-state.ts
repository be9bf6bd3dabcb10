import { isIPv4 } from "node:net";
import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import { endpointAnnotation } from "../api/group.ts";

/** Whether a pod may hold an OpenWrt that somebody should talk to, now or once it has an address. */
export function isCurrent(pod: DeepReadonly<Pod>): boolean {
  const ended = pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
  return !pod.metadata.deletionTimestamp && !ended;
}

export function isReady(pod: DeepReadonly<Pod>): boolean {
  return pod.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
}

/** Every address of a pod, the primary one first. */
export function addressesOf({ status }: DeepReadonly<Pod>): readonly string[] {
  const all = [status?.podIP, ...(status?.podIPs ?? []).map(({ ip }) => ip)];
  return [...new Set(all.flatMap((address) => address || []))];
}

/** A pod's IPv4 address, if it has one, whichever of its addresses that is. */
export const ipv4Of = (pod: DeepReadonly<Pod>): string | undefined =>
  addressesOf(pod).find((address) => isIPv4(address));

/** How often containers of a pod have started again. */
export const restartsOf = ({ status }: DeepReadonly<Pod>): number =>
  (status?.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0);

/**
 * Which life of its containers a pod is in. It differs after each start of a container: a CNF keeps everything inside its
 * container, so a new life begins empty.
 */
export function lifeOf(pod: DeepReadonly<Pod>): string {
  const lives = (pod.status?.containerStatuses ?? [])
    .map(({ name, restartCount, state }) => `${name}:${restartCount}:${state?.running?.startedAt ?? ""}`)
    .toSorted();
  return [pod.metadata.uid, pod.status?.podIP, pod.metadata.annotations?.[endpointAnnotation], ...lives].join(" ");
}
