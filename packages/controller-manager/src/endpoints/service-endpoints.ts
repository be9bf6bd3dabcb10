import { byKey, type DeepReadonly, jsonEqual, labelSelectorFromLabels } from "@kubewright/apimachinery";
import type { Pod, Service } from "@kubewright/client/kinds";
import { isPodReady } from "../workload/pod-state.ts";

interface EndpointPort {
  readonly name: string;
  readonly port: number;
  readonly protocol: string;
  readonly appProtocol?: string;
}

/** A pod behind a service. */
export interface PodEndpoint {
  readonly pod: DeepReadonly<Pod>;
  readonly ip: string;
  readonly isReady: boolean;
  readonly isTerminating: boolean;
  readonly hostname?: string | undefined;
}

/** Pods on which a service's ports have the same numbers. */
export interface EndpointGroup {
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly PodEndpoint[];
}

/** True for loopback addresses, which the API server rejects as endpoints. */
const isLoopback = (ip: string): boolean => ip.startsWith("127.") || ip === "::1";

export const isHeadless = ({ spec }: DeepReadonly<Service>): boolean => spec.clusterIP === "None";

/**
 * Returns the pods that a service selects, ordered by name. Pods on which the service's ports have the same numbers
 * form a group. Omits finished pods and pods without an address.
 */
export function endpointGroups(service: DeepReadonly<Service>, pods: readonly DeepReadonly<Pod>[]): EndpointGroup[] {
  const selector = labelSelectorFromLabels(service.spec.selector ?? {});
  const groups: { ports: EndpointPort[]; endpoints: PodEndpoint[] }[] = [];
  for (const pod of pods.toSorted(byKey)) {
    const { phase, podIP } = pod.status ?? {};
    if (
      !podIP ||
      isLoopback(podIP) ||
      phase === "Succeeded" ||
      phase === "Failed" ||
      !selector.matches(pod.metadata.labels)
    )
      continue;
    const ports = (service.spec.ports ?? []).flatMap((port) => endpointPort(port, pod) ?? []);
    const isTerminating = pod.metadata.deletionTimestamp !== undefined;
    const endpoint = {
      pod,
      ip: podIP,
      isReady: isPodReady(pod) || service.spec.publishNotReadyAddresses === true,
      isTerminating,
      ...(pod.spec.hostname && pod.spec.subdomain === service.metadata.name ? { hostname: pod.spec.hostname } : {}),
    };
    const group = groups.find((each) => jsonEqual(each.ports, ports));
    if (group) group.endpoints.push(endpoint);
    else groups.push({ ports, endpoints: [endpoint] });
  }
  return groups;
}

type ServicePort = NonNullable<DeepReadonly<Service>["spec"]["ports"]>[number];

/**
 * Returns the number that a service's port has on a pod. A port name is looked up in the pod's containers.
 *
 * @see kubernetes pkg/api/v1/pod FindPort
 */
function endpointPort(
  { name = "", port, protocol = "TCP", targetPort = port, appProtocol }: ServicePort,
  pod: DeepReadonly<Pod>,
): EndpointPort | undefined {
  const named = pod.spec.containers
    .flatMap(({ ports = [] }) => ports)
    .find((each) => each.name === targetPort && (each.protocol ?? "TCP") === protocol);
  const number = typeof targetPort === "number" ? targetPort : named?.containerPort;
  return number === undefined
    ? undefined
    : { name, port: number, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) };
}
