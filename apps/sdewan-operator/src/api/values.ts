import { Type } from "typebox";

/**
 * Patterns for the text fields that are sent to a CNF. The CRDs contain them, and the operator checks stored objects against them again
 * before sending, because the reference CNF inserts many of these strings unquoted into shell commands and configuration files. The CNF
 * trims text and treats empty text as absent, so every pattern allows both. All patterns are valid RE2 and match in linear time.
 */
const blanks = "[\\t\\n\\f\\r ]*";
const matching = (pattern: string): string => `^${blanks}(${pattern})?${blanks}$`;

/** Descriptions of the patterns, each worded to follow "is not" in a message. */
const meanings = new Map<string, string>();

/** Returns the description of a pattern, worded to follow "is not" in an error message. */
export const meaningOf = (pattern: string): string | undefined => meanings.get(pattern);

function textOf(pattern: string, meaning: string, maxLength: number) {
  meanings.set(pattern, meaning);
  return Type.String({ pattern, maxLength });
}

const usualLength = 64;
const text = (pattern: string, meaning: string, maxLength = usualLength) =>
  textOf(matching(pattern), meaning, maxLength);
/** An element of a list. It is never empty, and the CNF does not trim it. */
const element = (pattern: string, meaning: string, maxLength = usualLength) =>
  textOf(`^(${pattern})$`, meaning, maxLength);

const octet = "(25[0-5]|2[0-4][0-9]|[01]?[0-9]?[0-9])";
const ipv4Pattern = `${octet}(\\.${octet}){3}`;
const cidrPattern = `${ipv4Pattern}(/0*(3[0-2]|[12]?[0-9]))?`;
const portPattern = "0*([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])";
const positivePattern = "0*[1-9][0-9]*";
const markPattern = "(0[xX][0-9A-Fa-f]{1,8}|[0-9]{1,10})";
const maskedMarkPattern = `${markPattern}(/${markPattern})?`;
/** Interface names that Linux allows, without characters that have a special meaning in a path or a shell. */
const interfacePattern = "[A-Za-z0-9_][A-Za-z0-9_.:@-]{0,14}";
const maxNameLength = 253;

export const ipv4 = text(ipv4Pattern, "an IPv4 address such as 10.0.0.1");
export const ipv4OrCidr = text(cidrPattern, "an IPv4 address or network such as 10.0.0.1 or 10.0.0.0/8");
export const cidrElement = element(cidrPattern, "an IPv4 address or network such as 10.0.0.0/8");
export const negatableCidrElement = element(
  `!?${cidrPattern}`,
  "an IPv4 address or network such as 10.0.0.0/8 or !10.0.0.0/8",
);
export const port = text(portPattern, "a port, which is a number from 1 to 65535");
export const positiveInteger = text(positivePattern, "a number above 0");
export const naturalNumber = text("[0-9]+", "a number");
export const mac = text("[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}", "a MAC address such as 0a:00:00:00:00:02");
export const destination = text(`default|${cidrPattern}`, "default, or an IPv4 address or network such as 10.0.0.0/8");
export const routingTable = text(`main|local|default|${positivePattern}`, "main, local, default or a number above 0");
export const firewallMark = text("0[xX][0-9A-Fa-f]{1,8}|[0-9A-Fa-f]{1,10}", "a hexadecimal number such as 0x20");
export const setMark = text(maskedMarkPattern, "a mark such as 16, 0x10 or 0x10/0xff");
export const matchedMark = text(`!?${maskedMarkPattern}`, "a mark such as 16, 0x10, 0x10/0xff or !0x10");
export const upOrDownPattern = matching("[Uu][Pp]|[Dd][Oo][Ww][Nn]");
export const interfaceNamePattern = `^(${interfacePattern})?$`;
export const ruleInterface = text(
  `#default|#${ipv4Pattern}|${interfacePattern}`,
  "an interface such as net1, #default, or # followed by an address",
);
export const natInterface = text(
  `#default|#source|${interfacePattern}`,
  "an interface such as net1, #default or #source",
);
/** The name of another resource for the same CNF, or the name of a network. */
export const referredName = text(
  "[A-Za-z0-9_.:/@-]+",
  "a name that consists of letters, digits and _ . : / @ -",
  maxNameLength,
);
/** iptables arguments. They are passed to the packet filter as separate words, without a shell. */
export const iptablesArguments = text(
  "[A-Za-z0-9_.,:/!=+%@ \\t-]+",
  "a list of iptables arguments that consist of letters, digits, blanks and _ . , : / ! = + % @ -",
  1_024,
);
/** Schema of a string that a composite checks beyond the pattern. */
export const plainText = text(
  "[A-Za-z0-9_.:/-]+",
  "a string that consists of letters, digits and _ . : / -",
  maxNameLength,
);

export const ipsecType = text("[A-Za-z0-9_-]+", "VTI-based or policy-based");
export const gateway = text("[A-Za-z0-9%:][A-Za-z0-9_.:%,/-]*", "an address, a DNS name, any or %any", maxNameLength);
export const ipsecNetworks = text(
  "[A-Za-z0-9%:][A-Za-z0-9_.:%,/\\[\\] -]*",
  "an address, a network such as 10.0.0.0/8, a comma-separated list of these, or %config, %dynamic or %any",
  1_024,
);
/**
 * Pattern for an identifier. The CNF writes each identifier to two files: quoted in one, and unquoted in the
 * other, where `#` may begin a comment.
 */
export const identifier = text(
  "(@#)?[^\\x00-\\x1F\\x7F-\\x9F\"'\\\\`$;&|<>#]+",
  "an identifier on one line without \" ' \\ ` $ ; & | < > #",
  1_024,
);
/** A script that strongSwan runs in a shell, as root. */
export const updownScript = text(
  "/etc/[A-Za-z0-9_-]*updown[A-Za-z0-9_.-]*|(/usr/lib/ipsec/|/usr/libexec/ipsec/|ipsec )_updown( iptables)?",
  "an updown script of the CNF such as /etc/updown, without arguments",
  128,
);
export const ipsecMark = text(`%unique(-dir)?|${maskedMarkPattern}`, "a mark such as 16, 0x10, 0x10/0xff or %unique");
const certificatePattern = "^[A-Za-z0-9+/=_^\\t\\n\\r ]*$";
const certificateMeaning = "base64: encode a PEM file with base64 -w0, and join several with ___";
const maxCertificateLength = 131_072;
export const certificate = textOf(certificatePattern, certificateMeaning, maxCertificateLength);

/**
 * Patterns for secret strings, matched after trimming. The CRD checks them with rules instead of `pattern`, because the
 * error message for `pattern` would repeat the invalid value.
 */
export const secretTexts = {
  /** A string that the CNF writes at the end of a line, and that therefore must not contain a line break. */
  text: {
    pattern: "^[^\\x00-\\x1F\\x7F-\\x9F]*$",
    meaning: "a string on one line without control characters",
    maxLength: 1_024,
  },
  base64: { pattern: certificatePattern, meaning: certificateMeaning, maxLength: maxCertificateLength },
} as const;

/** Returns a copy of a schema with a description for `kubectl explain`. */
export function described<S extends object>(schema: S, description: string): S {
  // Not copied with spread syntax, because typebox stores parts of a schema in non-enumerable properties.
  const copy: S = Object.create(Object.getPrototypeOf(schema), Object.getOwnPropertyDescriptors(schema));
  return Object.defineProperty(copy, "description", { value: description, enumerable: true });
}

/** Returns a schema that allows one of the words, or an empty string. */
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
