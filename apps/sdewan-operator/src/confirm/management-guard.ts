import { networkInterfaces } from "node:os";
import type { DefinedKind } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import { CNFNAT } from "../api/cnf-nat.ts";
import { CNFRoute } from "../api/cnf-route.ts";
import { FirewallDNAT } from "../api/firewall/firewall-nat.ts";
import { FirewallRule, NetworkFirewallRule } from "../api/firewall/firewall-rules.ts";
import { FirewallZone } from "../api/firewall/firewall-zone.ts";
import { purposeLabel } from "../api/group.ts";
import type { CnfScope } from "../cnf/cnf-scope.ts";
import { findCnf } from "../cnf/discovery.ts";
import { apiPortOf, type EndpointDefaults, usualApiPort } from "../cnf/endpoint.ts";
import { byPurpose } from "../cnf/indexes.ts";
import { ipv4Of } from "../cnf/pod-state.ts";
import { networkIn, networkOf, portIn } from "../uci/networks.ts";
import { texts } from "../uci/uci-object.ts";
import type { Guard } from "../webhooks/bucket-permission.ts";

export interface ManagementGuardOptions {
  readonly scope: CnfScope;
  readonly endpoint: EndpointDefaults;
  /** Returns the operator's own IPv4 addresses. Default: this machine's addresses. */
  readonly operatorAddresses?: () => readonly string[];
}

/** The connections from the operator to the REST API of a CNF. */
interface Management {
  /** Addresses of the operator. */
  readonly sources: readonly string[];
  /** Addresses of the CNF's pods. */
  readonly pods: readonly string[];
  /** Ports of their REST APIs. */
  readonly ports: ReadonlySet<number>;
}

/** The interface through which the operator reaches a CNF pod. */
const podInterface = "eth0";
const maxPods = 1_000;

/**
 * Returns a guard that finds rules that would certainly cut a CNF off from the operator: rules that drop or redirect
 * the operator's connections to the CNF's REST API, and routes that send the CNF's responses elsewhere. Depending on
 * the rest of the configuration, other rules may also cut a CNF off.
 */
export function managementGuard({ scope, endpoint, operatorAddresses = ownAddresses }: ManagementGuardOptions): Guard {
  return async (reader, kind, object) => {
    const purpose = object.metadata.labels?.[purposeLabel];
    if (purpose === undefined || !guarded.has(kind.kind)) return undefined;
    const fields: Readonly<Record<string, unknown>> = { ...("spec" in object ? (object.spec ?? {}) : {}) };
    const spec = texts(fields, Object.keys(fields));
    const { namespace } = object.metadata;
    const cnf = await findCnf(reader, purpose, { namespace, scope }).catch(() => undefined); // the reconcile reports it
    const pods = (cnf?.pods ?? []).slice(0, maxPods);
    const ports = new Set(pods.flatMap((pod) => portOf(() => apiPortOf(pod, endpoint))));
    if (ports.size === 0) ports.add(usualApiPort(endpoint));
    const management: Management = {
      sources: operatorAddresses(),
      pods: pods.flatMap((pod) => ipv4Of(pod) ?? []),
      ports,
    };
    return cutOffBy(kind, spec, management, (zone) => isZoneOfOperator(reader, purpose, zone, management));
  };
}

const guarded: ReadonlySet<string> = new Set(
  [FirewallRule, FirewallDNAT, NetworkFirewallRule, CNFNAT, CNFRoute].map(({ kind }) => kind),
);

type Spec = Readonly<Record<string, string>>;

async function cutOffBy(
  kind: DefinedKind,
  spec: Spec,
  management: Management,
  isOfOperator: (zone: string) => Promise<boolean>,
): Promise<string | undefined> {
  const drops = spec.target === "DROP" || spec.target === "REJECT";
  switch (kind) {
    case FirewallRule:
      if (!drops || !isEmpty(spec.dest) || !matches(spec, "dest_ip", "dest_port", management)) return undefined;
      return (await isOfOperator(spec.src ?? "")) ? dropped(spec.dest_port) : undefined;
    case NetworkFirewallRule:
      if (!drops || !isEmpty(spec.dest) || !entersThrough(spec, management)) return undefined;
      return matches(spec, "dest_ip", "dest_port", management) ? dropped(spec.dest_port) : undefined;
    case FirewallDNAT:
      if (!matches(spec, "src_dip", "src_dport", management)) return undefined;
      return (await isOfOperator(spec.src ?? "")) ? redirected(spec.src_dport) : undefined;
    case CNFNAT:
      if (spec.target !== "DNAT" || !(isEmpty(spec.src) || entersThrough(spec, management))) return undefined;
      return matches(spec, "src_dip", "src_dport", management) ? redirected(spec.src_dport) : undefined;
    default:
      return routed(spec, management);
  }
}

const isEmpty = (text: string | undefined): boolean => text === undefined || text === "";
const show = (field: string, value: string | undefined): string => `spec.${field}: ${JSON.stringify(value ?? "")}`;

const dropped = (port: string | undefined): string =>
  `${show("dest_port", port)} includes the CNF's own REST API, so the rule would cut off the CNF from the operator; set a different ` +
  "dest_port, or a src_ip that does not include the operator";

const redirected = (port: string | undefined): string =>
  `${show("src_dport", port)} includes the CNF's own REST API, so the operator would no longer reach the CNF; set a different src_dport, or ` +
  "a src_ip that does not include the operator";

/** Returns the reason why a route leads packets to the operator elsewhere. A default route leaves more specific routes in force. */
function routed({ dst = "", dev = "", table = "" }: Spec, { sources }: Management): string | undefined {
  const isElsewhere = dev !== podInterface && dev !== "#default" && !isEmpty(dev);
  const network = networkIn(dst);
  if (table === "cnf" || !isElsewhere || typeof network !== "object" || network.bits === 0) return undefined;
  const source = sources.find((each) => isWithin(dst, each));
  return source === undefined
    ? undefined
    : `${show("dst", dst)} includes ${source}, the operator's own address, so responses to the operator would leave the CNF through ` +
        `${dev}; set a dst without this address`;
}

/** Reports whether a rule on an interface sees the packets that arrive from the operator. */
const entersThrough = ({ src = "" }: Spec, { pods }: Management): boolean =>
  src === podInterface || src === "#default" || (src.startsWith("#") && pods.includes(src.slice(1)));

/** Reports whether a rule matches all packets that the operator sends to the REST API, whatever else is configured. */
function matches(spec: Spec, address: string, port: string, { sources, pods, ports }: Management): boolean {
  const { proto = "", family = "", src_ip = "" } = spec;
  if (!["", "all", "tcp", "tcpudp"].includes(proto) || family === "ipv6") return false;
  if (["src_mac", "src_port", "mark", "extra"].some((field) => !isEmpty(spec[field]))) return false;
  if (!isEmpty(src_ip) && !sources.some((each) => isWithin(src_ip, each))) return false;
  const to = spec[address] ?? "";
  if (!isEmpty(to) && !pods.some((each) => isWithin(to, each))) return false;
  const number = portIn(spec[port] ?? "");
  return number === undefined || (number !== "unclear" && ports.has(number));
}

function isWithin(network: string, address: string): boolean {
  const [outer, inner] = [networkIn(network), networkIn(address)];
  if (typeof outer !== "object" || typeof inner !== "object") return false;
  return networkOf(inner.address, outer.bits) === outer.address;
}

/** Reports whether a zone consists of networks only, one of which contains the operator. */
async function isZoneOfOperator(
  reader: Reader,
  purpose: string,
  name: string,
  { sources }: Management,
): Promise<boolean> {
  if (name === "") return false;
  const zones = await reader.list(FirewallZone, { fields: { [byPurpose]: purpose } });
  const found = zones.find(({ metadata }) => metadata.name === name);
  const { network = [], subnet = [] } = found?.spec ?? {};
  return network.length === 0 && subnet.some((each) => sources.some((source) => isWithin(each, source)));
}

function portOf(read: () => number): readonly number[] {
  try {
    return [read()];
  } catch {
    return []; // the pod's annotation is malformed, so the operator does not connect to it
  }
}

const ownAddresses = (): readonly string[] =>
  Object.values(networkInterfaces())
    .flat()
    .flatMap((each) => (each && each.family === "IPv4" && !each.internal ? [each.address] : []));
