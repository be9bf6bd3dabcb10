import { type DeepReadonly, ownMember, Quantity, quote } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import { ContainerConfigError } from "../container-checks.ts";
import { nodeResources } from "../node-object.ts";

export type Container = DeepReadonly<Pod>["spec"]["containers"][number];
type ResourceFieldRef = NonNullable<
  NonNullable<NonNullable<Container["env"]>[number]["valueFrom"]>["resourceFieldRef"]
>;

/** The IP addresses of a pod and its node. The pod's status does not contain them yet. */
export interface PodAddresses {
  readonly ip: string;
  readonly hostIp: string;
}

/**
 * Returns the value of a pod's field, as text.
 *
 * @throws {ContainerConfigError} if the field is not supported
 *
 * @see kubernetes pkg/fieldpath ExtractFieldPathAsString, pkg/kubelet podFieldSelectorRuntimeValue
 */
export function fieldValue(pod: DeepReadonly<Pod>, path: string, { ip, hostIp }: PodAddresses): string {
  const { metadata, spec } = pod;
  const keyed = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(path);
  if (keyed) return ownMember(metadata[keyed[1] === "labels" ? "labels" : "annotations"], keyed[2] ?? "") ?? "";
  switch (path) {
    case "metadata.name":
      return metadata.name;
    case "metadata.namespace":
      return metadata.namespace ?? "";
    case "metadata.uid":
      return metadata.uid ?? "";
    case "metadata.labels":
      return lines(metadata.labels);
    case "metadata.annotations":
      return lines(metadata.annotations);
    case "spec.nodeName":
      return spec.nodeName ?? "";
    case "spec.serviceAccountName":
      return spec.serviceAccountName ?? "";
    case "status.podIP":
    case "status.podIPs":
      return ip;
    case "status.hostIP":
    case "status.hostIPs":
      return hostIp;
    default:
      throw new ContainerConfigError(`unsupported fieldPath: ${path}`);
  }
}

const lines = (map: Readonly<Record<string, string>> = {}): string =>
  Object.entries(map)
    .map(([key, value]) => `${key}=${quote(value)}`)
    .toSorted()
    .join("\n");

/**
 * Returns a container's request or limit in units of the divisor, rounded up. If the container has no limit, the node's capacity is used
 * instead.
 *
 * @throws {ContainerConfigError} if the reference does not name a container resource
 *
 * @see kubernetes pkg/api/v1/resource ExtractContainerResourceValue
 */
export function resourceValue(pod: DeepReadonly<Pod>, within: Container, ref: ResourceFieldRef): string {
  const { containerName, resource, divisor } = ref;
  const all = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])];
  const container = containerName ? all.find(({ name }) => name === containerName) : within;
  const [kind, name = ""] = resource.split(/\.(.*)/s);
  if (!container) throw new ContainerConfigError(`container "${containerName}" not found`);
  if (kind !== "limits" && kind !== "requests")
    throw new ContainerConfigError(`unsupported container resource: ${resource}`);
  const asked = ownMember(container.resources?.[kind], name);
  const quantity = asked ?? (kind === "limits" ? ownMember(nodeResources, name) : undefined) ?? "0";
  const unit = Quantity.parse(divisor === undefined || Quantity.parse(divisor).isZero ? "1" : divisor).milliValue;
  return String((Quantity.parse(quantity).milliValue + unit - 1n) / unit);
}
