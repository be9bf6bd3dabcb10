import { type Schema, text } from "./schema.ts";

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

export const ipv4 = (): Schema<string> => text({ pattern: matching(ipv4Pattern) });
export const ipv4OrCidr = (): Schema<string> => text({ pattern: matching(cidrPattern) });
/** An element of a list: never empty, and the CNF does not trim it. */
export const cidrElement = (): Schema<string> => text({ pattern: `^${cidrPattern}$` });
export const negatableCidrElement = (): Schema<string> => text({ pattern: `^!?${cidrPattern}$` });
export const port = (): Schema<string> => text({ pattern: matching(portPattern) });
export const positiveInteger = (): Schema<string> => text({ pattern: matching(positivePattern) });
export const naturalNumber = (): Schema<string> => text({ pattern: matching("[0-9]+") });
export const mac = (): Schema<string> => text({ pattern: matching("[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}") });
export const destination = (): Schema<string> => text({ pattern: matching(`default|${cidrPattern}`) });
export const routingTable = (): Schema<string> => text({ pattern: matching(`main|local|default|${positivePattern}`) });
export const firewallMark = (): Schema<string> =>
  text({ pattern: matching("0[xX][0-9A-Fa-f]{1,8}|[0-9A-Fa-f]{1,10}") });
export const upOrDown = (): Schema<string> => text({ pattern: matching("[Uu][Pp]|[Dd][Oo][Ww][Nn]") });
/** What Linux calls an interface, without what means something in a path or to a shell. */
export const interfaceName = (): Schema<string> => text({ pattern: "^([A-Za-z0-9_][A-Za-z0-9_.:@-]{0,14})?$" });

/** One of the words, or nothing. */
export const oneOf = (...words: readonly string[]): Schema<string> => text({ enum: ["", ...words] });
/** One of the words. */
export const exactlyOneOf = (...words: readonly string[]): Schema<string> => text({ enum: words });

export const zeroOrOne = (): Schema<string> => oneOf("0", "1");
export const yesOrNo = (): Schema<string> => oneOf("yes", "no");
export const protocol = (): Schema<string> =>
  oneOf("tcp", "udp", "tcpudp", "udplite", "icmp", "esp", "ah", "sctp", "all");
export const addressFamily = (): Schema<string> => oneOf("ipv4", "ipv6", "any");
export const ruleTarget = (): Schema<string> => oneOf("ACCEPT", "REJECT", "DROP", "MARK", "NOTRACK");
export const zonePolicy = (): Schema<string> => oneOf("ACCEPT", "REJECT", "DROP");

export const icmpType = (): Schema<string> =>
  exactlyOneOf(
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
  );
