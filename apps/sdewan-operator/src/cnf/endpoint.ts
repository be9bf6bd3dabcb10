import { BlockList, isIP } from "node:net";
import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import type { Pod } from "@kubewright/client/kinds";
import { accountSecretLabel, certSecretLabel, endpointAnnotation } from "../api/group.ts";
import { ipv4Of } from "./pod-state.ts";
import { SecretCache } from "./secret-cache.ts";

/** Key in the Secret that {@link accountSecretLabel} names. */
const passwordKey = "password";
/** Key in the Secret that is named by {@link certSecretLabel}. */
export const caKey = "ca.crt";

/** The connection data for a CNF. */
export interface CnfEndpoint {
  /** URL whose host name must match the CNF's certificate. */
  readonly url: string;
  /** Address to connect to. The host name in `url` is not resolved. */
  readonly address: string;
  readonly password: string;
  /** Trusted authorities in PEM. Default: the system's certification authorities. */
  readonly ca: string | undefined;
}

/** Scheme and port for CNFs whose pods do not have the `kubewright.dev/cnf-endpoint` annotation. */
export interface EndpointDefaults {
  readonly scheme: "http" | "https";
  /** Port of the REST API. Default: the standard port of the scheme. */
  readonly port?: number | undefined;
}

/**
 * Returns the connection data for a CNF pod. The pod must have an address. Its labels name the Secrets with the
 * password and the CA. A missing Secret is treated as empty, because a CNF may have a publicly trusted certificate and
 * no password.
 *
 * @param secrets source of Secret values. By default, they are read with the reader each time
 * @throws {Error} if the pod's annotation is not a scheme and port, or if its address cannot be a pod address
 */
export async function endpointOf(
  reader: Reader,
  pod: DeepReadonly<Pod>,
  defaults: EndpointDefaults,
  secrets = new SecretCache(),
): Promise<CnfEndpoint> {
  const primary = pod.status?.podIP;
  if (!primary) throw new Error("The target pod doesn't have an IP address");
  const { namespace = "", labels = {} } = pod.metadata;
  const { scheme, port } = schemeAndPort(pod, defaults);
  const named = labels[certSecretLabel] !== undefined;
  // The DNS name of a pod contains its IPv4 address. Another address is used only if the pod has no IPv4 address.
  const address = named ? (ipv4Of(pod) ?? primary) : primary;
  if (isUnusable(address))
    throw new Error(`The pod's status contains ${address.slice(0, 64)}, which cannot be a pod address`);
  const host = named ? `${address.replaceAll(/[.:]/g, "-")}.${namespace}.pod.cluster.local` : bracketed(address);
  const textOf = async (name: string | undefined, key: string): Promise<string | undefined> =>
    name
      ? (await secrets.value(reader, `${namespace}/${name}`, key, ({ data }) => decoded(data?.[key])))?.text
      : undefined;
  return {
    url: `${scheme}://${host}${port === undefined ? "" : `:${port}`}`,
    address,
    password: (await textOf(labels[accountSecretLabel], passwordKey)) ?? "",
    ca: await textOf(labels[certSecretLabel], caKey),
  };
}

/**
 * Returns the port of a CNF pod's REST API.
 *
 * @throws {Error} if the pod's annotation is not a scheme and port
 */
export const apiPortOf = (pod: DeepReadonly<Pod>, defaults: EndpointDefaults): number =>
  usualApiPort(schemeAndPort(pod, defaults));

/** Returns the port for CNFs whose pods do not have the annotation. */
export const usualApiPort = ({ scheme, port }: EndpointDefaults): number => port ?? usualPorts[scheme];

const usualPorts = { http: 80, https: 443 } as const;

function schemeAndPort(pod: DeepReadonly<Pod>, defaults: EndpointDefaults): EndpointDefaults {
  const text = pod.metadata.annotations?.[endpointAnnotation];
  if (text === undefined) return defaults;
  const { scheme, port } = /^(?<scheme>https?):(?<port>[0-9]{1,5})$/.exec(text.trim())?.groups ?? {};
  if (!scheme || !port)
    throw new Error(`Annotation ${endpointAnnotation}: must be scheme and port, such as https:8443`);
  return { scheme: scheme === "http" ? "http" : "https", port: Number(port) };
}

/**
 * Addresses that no network assigns to a pod. A pod that claims such an address would redirect the request elsewhere, for example to a
 * cloud service that returns the node's credentials.
 */
const unusable = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["169.254.0.0", 16],
  ["224.0.0.0", 3],
] as const)
  unusable.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of [
  ["::", 128],
  ["fe80::", 10],
  ["ff00::", 8],
  ["fd00:ec2::254", 128],
] as const)
  unusable.addSubnet(network, prefix, "ipv6");

/** Reports whether an address cannot be a pod address. */
export const isUnusable = (address: string): boolean =>
  isIP(address) === 0 || unusable.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");

const decoded = (data: string | undefined): string | undefined =>
  data === undefined ? undefined : Buffer.from(data, "base64").toString("utf8");

const bracketed = (address: string): string => (address.includes(":") ? `[${address}]` : address);
