import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Node, Pod } from "@kubewright/client/kinds";
import { matchesNodeAffinity } from "./node-affinity.ts";
import { type Amounts, added, amounts, podRequests } from "./pod-requests.ts";
import { repellingTaint } from "./taints.ts";

/** The reason why a pod cannot run on a node. */
export interface Misfit {
  readonly reason: string;
  /** True if the only reason is the other pods on the node, so that the pod would fit without them. */
  readonly isForPods: boolean;
  /** Reason with which the kubelet rejects the pod if it is assigned to the node anyway; `undefined` if the kubelet would run it. */
  readonly rejection?: string | undefined;
}

/**
 * Returns the reason why a pod cannot run on a node together with the given other pods, or `undefined` if it fits.
 *
 * @see kubernetes pkg/scheduler/framework/plugins
 */
export function misfitOf(
  pod: DeepReadonly<Pod>,
  node: DeepReadonly<Node>,
  neighbours: readonly DeepReadonly<Pod>[],
): Misfit | undefined {
  if (node.spec?.unschedulable && !isDaemonPod(pod)) return { reason: "node(s) were unschedulable", isForPods: false };
  const taint = repellingTaint(pod, node);
  if (taint && !(taint.key === "node.kubernetes.io/unschedulable" && isDaemonPod(pod)))
    return {
      reason: `node(s) had untolerated taint {${taint.key}: ${taint.value ?? ""}}`,
      isForPods: false,
    };
  if (!matchesNodeAffinity(pod, node))
    return { reason: "node(s) didn't match Pod's node affinity/selector", isForPods: false, rejection: "NodeAffinity" };
  if (portsClash(pod, neighbours))
    return {
      reason: "node(s) didn't have free ports for the requested pod ports",
      isForPods: true,
      rejection: "NodePorts",
    };
  const room = amounts(node.status?.allocatable);
  if (neighbours.length + 1 > (room.get("pods") ?? 0))
    return { reason: "Too many pods", isForPods: true, rejection: "OutOfpods" };
  const short = shortOf(pod, room, neighbours);
  return short === undefined
    ? undefined
    : { reason: `Insufficient ${short}`, isForPods: true, rejection: `OutOf${short}` };
}

const isDaemonPod = ({ metadata }: DeepReadonly<Pod>): boolean =>
  metadata.ownerReferences?.some(({ controller, kind }) => controller && kind === "DaemonSet") ?? false;

interface HostPort {
  readonly ip: string;
  readonly port: number;
  readonly protocol: string;
}

const anyIp = "0.0.0.0";

const hostPortsOf = ({ spec }: DeepReadonly<Pod>): HostPort[] =>
  spec.containers
    .flatMap(({ ports = [] }) => ports)
    .flatMap(({ hostPort, hostIP, protocol = "TCP" }) =>
      hostPort ? [{ ip: hostIP || anyIp, port: hostPort, protocol }] : [],
    );

function portsClash(pod: DeepReadonly<Pod>, neighbours: readonly DeepReadonly<Pod>[]): boolean {
  const wanted = hostPortsOf(pod);
  if (wanted.length === 0) return false;
  const taken = neighbours.flatMap(hostPortsOf);
  const clash = (a: HostPort, b: HostPort): boolean =>
    a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === anyIp || b.ip === anyIp);
  return wanted.some((a) => taken.some((b) => clash(a, b)));
}

/**
 * Returns the first resource for which a pod's request exceeds the amount that the node has left, or `undefined` if the
 * pod's requests fit.
 */
function shortOf(pod: DeepReadonly<Pod>, room: Amounts, neighbours: readonly DeepReadonly<Pod>[]): string | undefined {
  const wanted = [...podRequests(pod)].filter(([, amount]) => amount > 0);
  if (wanted.length === 0) return undefined;
  const used = neighbours.map(podRequests).reduce<Amounts>(added, new Map());
  return wanted.find(([name, amount]) => amount + (used.get(name) ?? 0) > (room.get(name) ?? 0))?.[0];
}
