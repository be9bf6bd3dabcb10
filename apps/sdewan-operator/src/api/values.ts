import { Type } from "typebox";

/**
 * What the CNF accepts in a field, said at admission. The CNF trims text and takes an empty one as absent, so every rule
 * allows both. Fields that hold secrets have no rule: a refusal would repeat the value.
 */
const matching = (pattern: string): string => `^\\s*(${pattern})?\\s*$`;

const octet = "(25[0-5]|2[0-4][0-9]|[01]?[0-9]?[0-9])";
const ipv4Pattern = `${octet}(\\.${octet}){3}`;
const cidrPattern = `${ipv4Pattern}(/0*(3[0-2]|[12]?[0-9]))?`;
const portPattern = "0*([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])";
const positivePattern = "0*[1-9][0-9]*";

export const ipv4 = Type.String({ pattern: matching(ipv4Pattern) });
export const ipv4OrCidr = Type.String({ pattern: matching(cidrPattern) });
/** An element of a list: never empty, and the CNF does not trim it. */
export const cidrElement = Type.String({ pattern: `^${cidrPattern}$` });
export const negatableCidrElement = Type.String({ pattern: `^!?${cidrPattern}$` });
export const port = Type.String({ pattern: matching(portPattern) });
export const positiveInteger = Type.String({ pattern: matching(positivePattern) });
export const naturalNumber = Type.String({ pattern: matching("[0-9]+") });
export const mac = Type.String({ pattern: matching("[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}") });
export const destination = Type.String({ pattern: matching(`default|${cidrPattern}`) });
export const routingTable = Type.String({ pattern: matching(`main|local|default|${positivePattern}`) });
export const firewallMark = Type.String({ pattern: matching("0[xX][0-9A-Fa-f]{1,8}|[0-9A-Fa-f]{1,10}") });
export const upOrDownPattern = matching("[Uu][Pp]|[Dd][Oo][Ww][Nn]");
/** What Linux calls an interface, without what means something in a path or to a shell. */
export const interfaceNamePattern = "^([A-Za-z0-9_][A-Za-z0-9_.:@-]{0,14})?$";

/** The same schema, with a description for `kubectl explain`. */
export function described<S extends object>(schema: S, description: string): S {
  // Not spread: typebox hides what a schema is from enumeration.
  const copy: S = Object.create(Object.getPrototypeOf(schema), Object.getOwnPropertyDescriptors(schema));
  return Object.defineProperty(copy, "description", { value: description, enumerable: true });
}

/** One of the words, or nothing. */
export const oneOf = <const Words extends readonly string[]>(...words: Words) => Type.Enum(["", ...words]);

export const zeroOrOne = oneOf("0", "1");
export const yesOrNo = oneOf("yes", "no");
export const protocol = oneOf("tcp", "udp", "tcpudp", "udplite", "icmp", "esp", "ah", "sctp", "all");
export const addressFamily = oneOf("ipv4", "ipv6", "any");
export const ruleTarget = oneOf("ACCEPT", "REJECT", "DROP", "MARK", "NOTRACK");
export const zonePolicy = oneOf("ACCEPT", "REJECT", "DROP");

export const icmpType = Type.Enum([
  "address-mask-reply",
  "address-mask-request",
  "any",
  "communication-prohibited",
  "destination-unreachable",
  "echo-reply",
  "echo-request",
  "fragmentation-needed",
  "host-precedence-violation",
  "host-prohibited",
  "host-redirect",
  "host-unknown",
  "host-unreachable",
  "ip-header-bad",
  "network-prohibited",
  "network-redirect",
  "network-unknown",
  "network-unreachable",
  "parameter-problem",
  "ping",
  "pong",
  "port-unreachable",
  "precedence-cutoff",
  "protocol-unreachable",
  "redirect",
  "required-option-missing",
  "router-advertisement",
  "router-solicitation",
  "source-quench",
  "source-route-failed",
  "time-exceeded",
  "timestamp-reply",
  "timestamp-request",
  "TOS-host-redirect",
  "TOS-host-unreachable",
  "TOS-network-redirect",
  "TOS-network-unreachable",
  "ttl-exceeded",
  "ttl-zero-during-reassembly",
  "ttl-zero-during-transit",
]);
