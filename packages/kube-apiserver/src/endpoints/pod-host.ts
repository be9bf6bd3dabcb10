import { badRequest, isNotFound, isRecord, notFound } from "@kubewright/apimachinery";
import type { ResourceScope } from "@kubewright/apiserver/endpoints";
import type { ReadonlyObject } from "@kubewright/apiserver/registry";
import { unexplained } from "@kubewright/codec";
import type { Pod } from "../kinds/pod/pod-types.ts";

/**
 * Returns the name of the container to which a request refers. If the request does not name one, this is the pod's only
 * container.
 *
 * @throws {StatusError} 400 if the container is not in the pod, or if the request names no container and the pod has several
 *
 * @see kubernetes pkg/registry/core/pod validateContainer
 */
export function containerOf(pod: ReadonlyObject, name: unknown): string {
  const {
    initContainers = [],
    containers = [],
    ephemeralContainers = [],
  } = (pod.spec ?? {}) as NonNullable<Pod["spec"]>;
  const all = [...initContainers, ...containers, ...ephemeralContainers].map((container) => container.name ?? "");
  const [only] = all;
  if (typeof name === "string" && name !== "") {
    if (!all.includes(name)) throw badRequest(`container ${name} is not valid for pod ${pod.metadata.name}`);
    return name;
  }
  if (only === undefined || all.length === 0)
    throw badRequest(`a container name must be specified for pod ${pod.metadata.name}`);
  if (all.length > 1)
    throw badRequest(
      `a container name must be specified for pod ${pod.metadata.name}, choose one of: [${all.join(" ")}]`,
    );
  return only;
}

/** Returns the name of a pod's node, or an empty string if it has none. */
export const nodeNameIn = (pod: ReadonlyObject): string =>
  isRecord(pod.spec) && typeof pod.spec.nodeName === "string" ? pod.spec.nodeName : "";

const preferredAddresses = ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"];

/**
 * Returns the address of a node's kubelet.
 *
 * @throws {StatusError} 404 if the node does not exist, 500 if it has no usable address
 *
 * @see kubernetes pkg/kubelet/client NodeConnectionInfoGetter
 */
export async function kubeletAddress(
  scope: ResourceScope,
  node: string,
): Promise<{ readonly host: string; readonly port: number }> {
  const nodes = scope.other("", "v1", "nodes");
  const found = await nodes?.store.get("", node).catch((error: unknown) => {
    throw isNotFound(error) ? notFound(scope.resource, node) : error; // upstream names the requested resource
  });
  const status = isRecord(found?.status) ? found.status : {};
  const addresses = (Array.isArray(status.addresses) ? status.addresses : []).filter(isRecord);
  for (const type of preferredAddresses) {
    const address = addresses.find((one) => one.type === type)?.address;
    if (typeof address === "string" && address !== "") return { host: address, port: kubeletPort(status) };
  }
  const known = addresses.map(({ type, address }) => `{${String(type)} ${String(address)}}`).join(" ");
  throw unexplained(`no preferred addresses found; known addresses: [${known}]`);
}

function kubeletPort({ daemonEndpoints }: Readonly<Record<string, unknown>>): number {
  const kubelet = isRecord(daemonEndpoints) ? daemonEndpoints.kubeletEndpoint : undefined;
  const port = isRecord(kubelet) ? kubelet.Port : undefined;
  return typeof port === "number" && port > 0 ? port : 10_250;
}
