import { BlockList, isIPv4, isIPv6 } from "node:net";
import { quote } from "@kubewright/apimachinery";
import { asString } from "../values/arguments.ts";
import { type FunctionDeclaration, global, member } from "../values/declarations.ts";
import { CelError, CelNode, type CelValue, noSuchOverload } from "../values/value.ts";
import { type Address, addressText, parseAddress } from "./address-text.ts";
import { kubernetesTypes } from "./kubernetes-types.ts";

class CelIp extends CelNode {
  readonly type = kubernetesTypes.ip;
  readonly value: Address;

  constructor(value: Address) {
    super();
    this.value = value;
  }

  equals(other: CelValue): boolean | CelError {
    return other instanceof CelIp ? addressText(other.value) === addressText(this.value) : noSuchOverload();
  }
}

interface Prefix {
  readonly address: Address;
  readonly bits: number;
}

class CelCidr extends CelNode {
  readonly type = kubernetesTypes.cidr;
  readonly value: Prefix;

  constructor(value: Prefix) {
    super();
    this.value = value;
  }

  equals(other: CelValue): boolean | CelError {
    return other instanceof CelCidr ? prefixText(other.value) === prefixText(this.value) : noSuchOverload();
  }
}

const prefixText = ({ address, bits }: Prefix): string => `${addressText(address)}/${bits}`;

function parseIp(text: string): Address | CelError {
  const parsed = parseAddress(text);
  if ("error" in parsed)
    return new CelError(`IP Address ${quote(text)} parse error during conversion from string: ${parsed.error}`);
  if (parsed.zone) return new CelError(`IP address ${quote(text)} with zone value is not allowed`);
  if (isMapped(parsed)) return new CelError(`IPv4-mapped IPv6 address ${quote(text)} is not allowed`);
  return parsed;
}

const mappedPrefix = 0xffffn << 32n;
const isMapped = ({ family, value }: Address): boolean => family === 6 && value >> 32n === mappedPrefix >> 32n;

function parsePrefix(text: string): Prefix | CelError {
  const parsing = "network address parse error during conversion from string: ";
  const wrong = (reason: string): CelError => new CelError(`${parsing}${parsing}${reason}`);
  const whole = `netip.ParsePrefix(${quote(text)}): `;
  const slash = text.lastIndexOf("/");
  if (slash < 0) return wrong(`${whole}no '/'`);
  const address = parseAddress(text.slice(0, slash));
  if ("error" in address) return wrong(`${whole}${address.error}`);
  if (address.zone) return wrong(`${whole}IPv6 zones cannot be present in a prefix`);
  const bits = text.slice(slash + 1);
  if (!/^\d+$/.test(bits) || (bits.length > 1 && bits.startsWith("0")))
    return wrong(`${whole}bad bits after slash: ${quote(bits)}`);
  if (Number(bits) > (address.family === 4 ? 32 : 128)) return wrong(`${whole}prefix length out of range`);
  if (isMapped(address)) return new CelError(`${parsing}IPv4-mapped IPv6 address ${quote(text)} is not allowed`);
  return { address, bits: Number(bits) };
}

const width = (family: 4 | 6): bigint => (family === 4 ? 32n : 128n);
const network = ({ family, value }: Address, bits: number): bigint => value >> (width(family) - BigInt(bits));

const containsIp = ({ address, bits }: Prefix, ip: Address): boolean =>
  ip.family === address.family && network(ip, bits) === network(address, bits);

const containsPrefix = (outer: Prefix, inner: Prefix): boolean =>
  outer.bits <= inner.bits && containsIp(outer, inner.address);

function masked({ address, bits }: Prefix): Prefix {
  const shift = width(address.family) - BigInt(bits);
  return { address: { ...address, value: (address.value >> shift) << shift }, bits };
}

const ranges = (...prefixes: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const prefix of prefixes) {
    const [address = "", bits = "0"] = prefix.split("/");
    list.addSubnet(address, Number(bits), isIPv4(address) ? "ipv4" : "ipv6");
  }
  return list;
};

const loopback = ranges("127.0.0.0/8", "::1/128");
const linkLocalMulticast = ranges("224.0.0.0/24", "ff02::/16");
const multicast = ranges("224.0.0.0/4", "ff00::/8");
const linkLocalUnicast = ranges("169.254.0.0/16", "fe80::/10");

const isIn = (list: BlockList, address: Address): boolean => {
  const text = addressText(address);
  return list.check(text, isIPv6(text) ? "ipv6" : "ipv4");
};
const isUnspecified = ({ value }: Address): boolean => value === 0n;
const isBroadcast = ({ family, value }: Address): boolean => family === 4 && value === 0xffffffffn;
const isGlobalUnicast = (address: Address): boolean =>
  !isUnspecified(address) &&
  !isBroadcast(address) &&
  ![loopback, multicast, linkLocalUnicast].some((list) => isIn(list, address));

const asIp = (value: CelValue | undefined): Address => {
  if (value instanceof CelIp) return value.value;
  throw new Error("an IP function was called on a value that is not an IP address");
};
const asCidr = (value: CelValue | undefined): Prefix => {
  if (value instanceof CelCidr) return value.value;
  throw new Error("a CIDR function was called on a value that is not a CIDR");
};
const ipOf = (text: string): CelValue => {
  const parsed = parseIp(text);
  return parsed instanceof CelError ? parsed : new CelIp(parsed);
};

function isCanonical(text: string): CelValue {
  const parsed = parseIp(text);
  return parsed instanceof CelError ? parsed : addressText(parsed) === text;
}

const test = (name: string, id: string, holds: (address: Address) => boolean): FunctionDeclaration =>
  member(name, id, "net.IP -> bool", (ip) => holds(asIp(ip)));

/** Functions for IP addresses. @see apiserver pkg/cel/library/ip.go */
export const ip: readonly FunctionDeclaration[] = [
  global("ip", "string_to_ip", "string -> net.IP", (text) => ipOf(asString(text))),
  global("isIP", "is_ip", "string -> bool", (text) => !(parseIp(asString(text)) instanceof CelError)),
  global("ip.isCanonical", "ip_is_canonical", "string -> bool", (text) => isCanonical(asString(text))),
  global("string", "ip_to_string", "net.IP -> string", (address) => addressText(asIp(address))),
  member("family", "ip_family", "net.IP -> int", (address) => BigInt(asIp(address).family)),
  test("isUnspecified", "ip_is_unspecified", isUnspecified),
  test("isLoopback", "ip_is_loopback", (address) => isIn(loopback, address)),
  test("isLinkLocalMulticast", "ip_is_link_local_multicast", (address) => isIn(linkLocalMulticast, address)),
  test("isLinkLocalUnicast", "ip_is_link_local_unicast", (address) => isIn(linkLocalUnicast, address)),
  test("isGlobalUnicast", "ip_is_global_unicast", isGlobalUnicast),
];

/** Functions for IP networks in CIDR notation, such as `10.0.0.0/8`. @see apiserver pkg/cel/library/cidr.go */
export const cidr: readonly FunctionDeclaration[] = [
  global("cidr", "string_to_cidr", "string -> net.CIDR", (text) => cidrOf(asString(text))),
  global("isCIDR", "is_cidr", "string -> bool", (text) => !(parsePrefix(asString(text)) instanceof CelError)),
  global("string", "cidr_to_string", "net.CIDR -> string", (network) => prefixText(asCidr(network))),
  member("containsIP", "cidr_contains_ip_string", "net.CIDR, string -> bool", (network, text) => {
    const parsed = parseIp(asString(text));
    return parsed instanceof CelError ? noSuchOverload() : containsIp(asCidr(network), parsed);
  }),
  member("containsIP", "cidr_contains_ip_ip", "net.CIDR, net.IP -> bool", (network, address) =>
    containsIp(asCidr(network), asIp(address)),
  ),
  member("containsCIDR", "cidr_contains_cidr_string", "net.CIDR, string -> bool", (network, text) => {
    const parsed = parsePrefix(asString(text));
    return parsed instanceof CelError ? parsed : containsPrefix(asCidr(network), parsed);
  }),
  member("containsCIDR", "cidr_contains_cidr", "net.CIDR, net.CIDR -> bool", (outer, inner) =>
    containsPrefix(asCidr(outer), asCidr(inner)),
  ),
  member("ip", "cidr_ip", "net.CIDR -> net.IP", (network) => new CelIp(asCidr(network).address)),
  member("prefixLength", "cidr_prefix_length", "net.CIDR -> int", (network) => BigInt(asCidr(network).bits)),
  member("masked", "cidr_masked", "net.CIDR -> net.CIDR", (network) => new CelCidr(masked(asCidr(network)))),
];

function cidrOf(text: string): CelValue {
  const parsed = parsePrefix(text);
  return parsed instanceof CelError ? parsed : new CelCidr(parsed);
}
