import { isIP, isIPv4 } from "node:net";
import { badRequest, isRecord, quote, serviceUnavailable } from "@kubewright/apimachinery";
import type { ApiRequest } from "@kubewright/apiserver/endpoints";
import { namespaceOf, type ResourceScope } from "@kubewright/apiserver/endpoints";
import type { ReadonlyObject } from "@kubewright/apiserver/registry";
import { kubeletAddress } from "./pod-host.ts";

/**
 * Checks that a proxy request has a valid destination.
 *
 * @throws {StatusError} with upstream's message, if the destination is not valid
 */
export type ProxyCheck = (request: ApiRequest, scope: ResourceScope) => Promise<void>;

interface Requested {
  readonly name: string;
  readonly port: string;
}

/** Parses the destination in a proxy URL: `name`, `name:port` or `scheme:name:port`. @see apimachinery util/net SplitSchemeNamePort */
function requested(id: string, what: string): Requested {
  const parts = id.split(":");
  const [scheme, name, port] =
    parts.length === 1 ? ["", parts[0] ?? "", ""] : parts.length === 2 ? ["", ...parts] : parts;
  const isKnown = scheme === "" || scheme === "http" || scheme === "https";
  if (parts.length > 3 || !isKnown || !name) throw badRequest(`invalid ${what} request ${quote(id)}`);
  return { name, port: port ?? "" };
}

/** Checks the destination of a request for `pods/proxy`. @see kubernetes pkg/registry/core/pod ResourceLocation */
export const podProxy: ProxyCheck = async (request, scope) => {
  const { name } = requested(request.info.name, "pod");
  const pod = await scope.store.get(namespaceOf(request, scope), name);
  const { podIPs, podIP } = isRecord(pod.status) ? pod.status : {};
  const first: unknown = Array.isArray(podIPs) && isRecord(podIPs[0]) ? podIPs[0].ip : podIP;
  checkAddress(typeof first === "string" ? first : "");
};

/** Checks the destination of a request for `nodes/proxy`. @see kubernetes pkg/registry/core/node ResourceLocation */
export const nodeProxy: ProxyCheck = async (request, scope) => {
  const { name } = requested(request.info.name, "node");
  await scope.store.get("", name);
  const { host } = await kubeletAddress(scope, name);
  if (isIP(host) !== 0) checkAddress(host);
};

/** Checks the destination of a request for `services/proxy`. @see kubernetes pkg/registry/core/service ResourceLocation */
export const serviceProxy: ProxyCheck = async (request, scope) => {
  const { name, port } = requested(request.info.name, "service");
  const namespace = namespaceOf(request, scope);
  const portName = /^\d+$/.test(port) ? portNamed(await scope.store.get(namespace, name), Number(port)) : port;
  const slices = await scope.objectsOf("discovery.k8s.io", "endpointslices", namespace);
  const endpoints = slices
    .filter(({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === name)
    .filter(({ ports }) => recordsIn(ports).some((one) => one.name === portName && one.port !== undefined))
    .flatMap(({ endpoints }) => recordsIn(endpoints))
    .filter(({ conditions }) => !isRecord(conditions) || conditions.ready !== false);
  const pods = await scope.objectsOf("", "pods", namespace);
  const found = endpoints.find((endpoint) => isPod(endpoint, pods));
  if (!found) throw serviceUnavailable(`no endpoints available for service "${name}"`);
  checkAddress(addressOf(found));
};

const addressOf = ({ addresses }: Record<string, unknown>): string =>
  Array.isArray(addresses) ? String(addresses[0]) : "";

/** Reports whether an endpoint is one of the pods, and has its address. @see kubernetes pkg/registry/core/service isValidAddress */
function isPod(endpoint: Record<string, unknown>, pods: readonly ReadonlyObject[]): boolean {
  const { targetRef } = endpoint;
  if (!isRecord(targetRef)) return false;
  const pod = pods.find(
    ({ metadata: { name, namespace } }) => name === targetRef.name && namespace === targetRef.namespace,
  );
  return isRecord(pod?.status) && recordsIn(pod.status.podIPs).some(({ ip }) => ip === addressOf(endpoint));
}

const recordsIn = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isRecord) : []);

/** Returns the name of the Service's port with this number. Endpoints refer to the port by this name. */
function portNamed(service: ReadonlyObject, port: number): string {
  const ports = isRecord(service.spec) && Array.isArray(service.spec.ports) ? service.spec.ports.filter(isRecord) : [];
  const found = ports.find((one) => one.port === port);
  if (!found) throw serviceUnavailable(`no service port ${port} found for service "${service.metadata.name}"`);
  return typeof found.name === "string" ? found.name : "";
}

/** Rejects this machine's own addresses, because proxies must not connect to them. @see kubernetes pkg/proxy/util IsProxyableIP */
function checkAddress(address: string): void {
  const isGlobal = isIPv4(address)
    ? !/^(127|22[4-9]|23\d)\./.test(address) && !/^(169\.254\.|0\.0\.0\.0$|255\.255\.255\.255$)/.test(address)
    : isIP(address) !== 0 && !/^(::|::1|ff.*|fe[89ab].*)$/i.test(address);
  if (!isGlobal) throw badRequest("address not allowed");
}
