import { icmpIn, macIn, markIn } from "../effect/field-values.ts";
import type { IcmpType } from "../effect/packet-set.ts";
import { networkIn, portIn } from "../uci/networks.ts";

/** The first packet of a connection, as described by a user. */
export interface Flow {
  /** Source address as an unsigned 32-bit number. */
  readonly from: number;
  readonly to: number;
  /** IP protocol number. */
  readonly protocol: number;
  /** Destination port of TCP and UDP. */
  readonly port: number | undefined;
  /** Source port. Undefined if it is not known. */
  readonly sourcePort: number | undefined;
  /** ICMP type. Undefined for other protocols. */
  readonly icmp: IcmpType | undefined;
  /** Source MAC address. Undefined if it is not known. */
  readonly mac: string | undefined;
  /** Firewall mark of the packet when it reaches the CNF. */
  readonly mark: number;
  /** Interface through which the packet enters the CNF. Undefined if the source address determines it. */
  readonly incoming: string | undefined;
}

/** The texts that describe a flow, such as command-line option values. */
export interface FlowTexts {
  readonly from: string;
  /** Address, port and protocol, such as `203.0.113.9:443/tcp` or `203.0.113.9/icmp`. */
  readonly to: string;
  readonly in?: string | undefined;
  readonly sourcePort?: string | undefined;
  readonly mark?: string | undefined;
  readonly mac?: string | undefined;
  readonly icmpType?: string | undefined;
}

/** Thrown if a text does not describe a flow. */
export class FlowError extends Error {
  override readonly name = "FlowError";
}

const protocols: ReadonlyMap<string, number> = new Map([
  ["icmp", 1],
  ["tcp", 6],
  ["udp", 17],
  ["esp", 50],
  ["ah", 51],
  ["sctp", 132],
  ["udplite", 136],
]);
const protocolNames = [...protocols.keys()].join(", ");
const [icmp, tcp, udp] = [1, 6, 17];

/** Returns the name of a protocol, such as `tcp`. */
export const protocolName = (number: number): string =>
  [...protocols].find(([, each]) => each === number)?.[0] ?? String(number);

const hasPorts = (protocol: number): boolean => protocol === tcp || protocol === udp;
const interfaceName = /^[A-Za-z0-9_][A-Za-z0-9_.:@-]{0,14}$/;
const maxShownLength = 64;

/**
 * Parses the description of a flow.
 *
 * @throws {FlowError} if it is not valid; the message contains the option, its value and the remedy
 */
export function flowOf(texts: FlowTexts): Flow {
  const [, address = "", portText, protocolText = ""] =
    /^([^:/]*)(?::([^/]*))?\/(.*)$/.exec(texts.to.trim()) ??
    refuse("--to", texts.to, "such as 203.0.113.9:443/tcp or 203.0.113.9/icmp");
  const protocol = protocols.get(protocolText.toLowerCase());
  if (protocol === undefined) return refuse("--to", texts.to, `with one of the protocols ${protocolNames}`);
  if (hasPorts(protocol) !== (portText !== undefined))
    return refuse(
      "--to",
      texts.to,
      hasPorts(protocol) ? `with a port, such as ${address}:443/${protocolText}` : `without a port`,
    );
  if (texts.sourcePort !== undefined && !hasPorts(protocol))
    return refuse("--source-port", texts.sourcePort, "used with TCP or UDP; remove the option");
  if (texts.icmpType !== undefined && protocol !== icmp)
    return refuse("--icmp-type", texts.icmpType, "used with the protocol icmp; remove the option");
  return {
    from: addressIn("--from", texts.from),
    to: addressIn("--to", address),
    protocol,
    port: portText === undefined ? undefined : portOf("--to", portText),
    sourcePort: texts.sourcePort === undefined ? undefined : portOf("--source-port", texts.sourcePort),
    icmp: protocol === icmp ? icmpOf(texts.icmpType ?? "echo-request") : undefined,
    mac: texts.mac === undefined ? undefined : macOf(texts.mac),
    mark: markOf(texts.mark ?? "0"),
    incoming: texts.in === undefined ? undefined : interfaceOf(texts.in),
  };
}

function addressIn(option: string, text: string): number {
  const network = networkIn(text.trim());
  if (typeof network !== "object" || network.bits !== 32 || text.includes("/"))
    return refuse(option, text, "an IPv4 address such as 10.1.2.3, without leading zeros");
  return network.address;
}

function portOf(option: string, text: string): number {
  const port = portIn(text.trim());
  return typeof port === "number" ? port : refuse(option, text, "a port from 1 to 65535");
}

function icmpOf(text: string): IcmpType {
  const type = icmpIn(text.trim());
  return typeof type === "object" ? type : refuse("--icmp-type", text, "an ICMP type such as echo-request");
}

function macOf(text: string): string {
  const mac = macIn(text.trim());
  return mac === undefined || mac === "unclear"
    ? refuse("--mac", text, "a MAC address such as 0a:00:00:00:00:02")
    : mac;
}

function markOf(text: string): number {
  const mark = markIn(text.trim());
  return typeof mark === "object" && !mark.inverted && !text.includes("/")
    ? mark.value
    : refuse("--mark", text, "a number such as 16 or 0x10");
}

const interfaceOf = (text: string): string =>
  interfaceName.test(text.trim()) ? text.trim() : refuse("--in", text, "the name of an interface such as net1");

function refuse(option: string, value: string, meaning: string): never {
  throw new FlowError(`${option}: ${JSON.stringify(value.slice(0, maxShownLength))} is not ${meaning}`);
}

/** Returns an address in dotted notation. */
export const dotted = (address: number): string => [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join(".");
