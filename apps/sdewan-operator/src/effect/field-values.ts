import { type FieldValue, hasLeadingZero } from "../uci/networks.ts";
import type { IcmpType, Mark } from "./packet-set.ts";

const markPattern = /^(!?)(0x[0-9a-f]{1,8}|\d{1,10})(?:\/(0x[0-9a-f]{1,8}|\d{1,10}))?$/i;
const maxMark = 0xff_ff_ff_ff;

/** Parses the mark matched by a rule. */
export function markIn(text: string): FieldValue<Mark> {
  if (text === "") return undefined;
  const [, negation, digits = "", maskDigits = String(maxMark)] = markPattern.exec(text) ?? [];
  if (negation === undefined || [digits, maskDigits].some((each) => hasLeadingZero(each) && !/^0x/i.test(each)))
    return "unclear";
  const [value, mask] = [Number(digits), Number(maskDigits)];
  if (value > maxMark || mask > maxMark) return "unclear";
  return { value, mask, inverted: negation === "!" };
}

/** Parses a MAC address. */
export function macIn(text: string): FieldValue<string> {
  if (text === "") return undefined;
  return /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i.test(text) ? text.toLowerCase() : "unclear";
}

/** Numbers of the ICMP types and codes that iptables has names for. Without a code, a name means all codes of its type. */
const icmpNumbers: Readonly<Record<string, readonly [type: number, code?: number]>> = {
  "echo-reply": [0],
  pong: [0],
  "destination-unreachable": [3],
  "network-unreachable": [3, 0],
  "host-unreachable": [3, 1],
  "protocol-unreachable": [3, 2],
  "port-unreachable": [3, 3],
  "fragmentation-needed": [3, 4],
  "source-route-failed": [3, 5],
  "network-unknown": [3, 6],
  "host-unknown": [3, 7],
  "network-prohibited": [3, 9],
  "host-prohibited": [3, 10],
  "TOS-network-unreachable": [3, 11],
  "TOS-host-unreachable": [3, 12],
  "communication-prohibited": [3, 13],
  "host-precedence-violation": [3, 14],
  "precedence-cutoff": [3, 15],
  "source-quench": [4],
  redirect: [5],
  "network-redirect": [5, 0],
  "host-redirect": [5, 1],
  "TOS-network-redirect": [5, 2],
  "TOS-host-redirect": [5, 3],
  "echo-request": [8],
  ping: [8],
  "router-advertisement": [9],
  "router-solicitation": [10],
  "time-exceeded": [11],
  "ttl-exceeded": [11],
  "ttl-zero-during-transit": [11, 0],
  "ttl-zero-during-reassembly": [11, 1],
  "parameter-problem": [12],
  "ip-header-bad": [12, 0],
  "required-option-missing": [12, 1],
  "timestamp-request": [13],
  "timestamp-reply": [14],
  "address-mask-request": [17],
  "address-mask-reply": [18],
};

const maxCode = 255;

/** Parses the name of an ICMP type for IPv4. */
export function icmpIn(name: string): FieldValue<IcmpType> {
  if (name === "any") return undefined;
  const numbers = Object.hasOwn(icmpNumbers, name) ? icmpNumbers[name] : undefined;
  if (!numbers) return "unclear";
  const [type, code] = numbers;
  return { type, minCode: code ?? 0, maxCode: code ?? maxCode };
}

const icmpAliases: ReadonlyMap<string, string> = new Map([
  ["ping", "echo-request"],
  ["pong", "echo-reply"],
  ["ttl-exceeded", "time-exceeded"],
]);

/**
 * Returns the ICMPv6 type with the given name. Not all names exist for ICMPv6, so only equal names are certain to
 * denote the same type.
 */
export const icmpv6In = (name: string): IcmpType => ({ type: icmpAliases.get(name) ?? name, minCode: 0, maxCode });
