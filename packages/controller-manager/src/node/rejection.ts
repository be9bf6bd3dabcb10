import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Node, Pod } from "@kubewright/client/kinds";
import { misfitOf } from "../scheduling/node-fit.ts";

/** The reason why a node rejects a pod, for the pod's status. */
export interface Rejection {
  readonly reason: string;
  readonly message: string;
}

/** Kernel parameters that affect only the pod that sets them. @see kubernetes pkg/kubelet/sysctl/safe_sysctls.go */
const safeSysctls = new Set([
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.ping_group_range",
  "net.ipv4.ip_unprivileged_port_start",
  "net.ipv4.ip_local_reserved_ports",
  "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_keepalive_intvl",
  "net.ipv4.tcp_keepalive_probes",
  "net.ipv4.tcp_rmem",
  "net.ipv4.tcp_wmem",
]);

/**
 * Returns the reason why no simulated node accepts a pod, even one assigned by a scheduler. Returns `undefined` if
 * there is no such reason.
 *
 * @see kubernetes pkg/kubelet/lifecycle
 */
export function refusalOf({ spec }: DeepReadonly<Pod>): Rejection | undefined {
  if (spec.os && spec.os.name !== "linux")
    return { reason: "PodOSNotSupported", message: "Failed to admit pod as the OS field doesn't match node OS" };
  const forbidden = (spec.securityContext?.sysctls ?? []).find(
    ({ name }) => !safeSysctls.has(name.replaceAll("/", ".")),
  );
  return forbidden && { reason: "SysctlForbidden", message: `forbidden sysctl: "${forbidden.name}" not allowlisted` };
}

/**
 * Returns the reason why a node rejects a pod that was assigned without a scheduler. If its capacity is unknown, the
 * node accepts the pod.
 *
 * @see kubernetes pkg/kubelet/lifecycle/predicate.go
 */
export function rejectionOn(
  node: DeepReadonly<Node>,
  pod: DeepReadonly<Pod>,
  neighbours: readonly DeepReadonly<Pod>[],
): Rejection | undefined {
  const reason = misfitOf(pod, node, neighbours)?.rejection;
  const isUnsure = node.status?.allocatable === undefined && reason?.startsWith("OutOf");
  return reason === undefined || isUnsure ? undefined : { reason, message: `Predicate ${reason} failed` };
}
