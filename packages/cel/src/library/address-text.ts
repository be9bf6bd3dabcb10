import { isIPv6 } from "node:net";
import { quote } from "@kubewright/apimachinery";

/** An IP address as a number. */
export interface Address {
  readonly family: 4 | 6;
  readonly value: bigint;
  readonly zone?: string | undefined;
}

/** Parses an address, or returns Go's error. @see Go net/netip ParseAddr */
export function parseAddress(text: string): Address | { readonly error: string } {
  const wrong = (reason: string, at?: string): { error: string } => ({
    error: `ParseAddr(${quote(text)}): ${reason}${at === undefined ? "" : ` (at ${quote(at)})`}`,
  });
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === ".") return parseIpv4(text, wrong);
    if (char === ":") return parseIpv6(text, wrong);
    if (char === "%") return wrong("missing IPv6 address");
    if (i > 64) break;
  }
  return wrong("unable to parse IP");
}

type Wrong = (reason: string, at?: string) => { error: string };

function parseIpv4(text: string, wrong: Wrong): Address | { readonly error: string } {
  let value = 0n;
  let fields = 0;
  let number = 0;
  let digits = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text[i] ?? "";
    if (/\d/.test(char)) {
      if (digits === 1 && number === 0) return wrong("IPv4 field has octet with leading zero");
      number = number * 10 + Number(char);
      digits++;
      if (number > 255) return wrong("IPv4 field has value >255");
    } else if (char === ".") {
      if (i === 0 || i === text.length - 1 || text[i - 1] === ".")
        return wrong("IPv4 field must have at least one digit", text.slice(i));
      if (fields === 3) return wrong("IPv4 address too long");
      value = (value << 8n) | BigInt(number);
      fields++;
      number = 0;
      digits = 0;
    } else return wrong("unexpected character", text.slice(i));
  }
  if (fields < 3) return wrong("IPv4 address too short");
  return { family: 4, value: (value << 8n) | BigInt(number) };
}

function parseIpv6(text: string, wrong: Wrong): Address | { readonly error: string } {
  const percent = text.indexOf("%");
  const zone = percent < 0 ? undefined : text.slice(percent + 1);
  const address = percent < 0 ? text : text.slice(0, percent);
  if (zone === "") return wrong("zone must be a non-empty string");
  if (!isIPv6(address)) return wrong(...ipv6Problem(address));
  const dotted = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  const [a = 0, b = 0, c = 0, d = 0] = dotted?.slice(1).map(Number) ?? [];
  const plain = dotted
    ? `${address.slice(0, dotted.index)}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
    : address;
  const [head = "", tail] = plain.split("::");
  const groups = (part: string | undefined): string[] => (part ? part.split(":") : []);
  const [before, after] = [groups(head), groups(tail)];
  const zeros = Array.from({ length: tail === undefined ? 0 : 8 - before.length - after.length }, () => "0");
  const value = [...before, ...zeros, ...after].reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
  return { family: 6, value, ...(zone === undefined ? {} : { zone }) };
}

/** Returns the reason why a string is not an IPv6 address. */
function ipv6Problem(address: string): [string, string?] {
  const bad = /[^0-9a-fA-F:.]/.exec(address);
  let rest = address;
  if (rest.startsWith("::")) rest = rest.slice(2);
  const seen = address.startsWith("::") ? 1 : 0;
  let ellipses = seen;
  for (let count = 0; rest !== "" && count < 8; count++) {
    const [group = ""] = /^[0-9a-fA-F]*/.exec(rest) ?? [];
    if (group.length > 4) return ["each group must have 4 or less digits", rest];
    if (group === "") return ["each colon-separated field must have at least one digit", rest];
    rest = rest.slice(group.length);
    if (rest === "") break;
    if (rest[0] !== ":") return [bad ? "unexpected character, want colon" : "invalid IPv4 field", rest];
    if (rest.length === 1) return ["colon must be followed by more characters", rest];
    rest = rest.slice(1);
    if (rest[0] !== ":") continue;
    if (++ellipses > 1) return ["multiple :: in address", rest];
    rest = rest.slice(1);
  }
  return rest === "" ? ["address string too short"] : ["trailing garbage after address", rest];
}

/** Formats an address in its canonical form. */
export function addressText({ family, value }: Address): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join(".");
  const groups = Array.from({ length: 8 }, (_, i) => Number((value >> BigInt(112 - 16 * i)) & 0xffffn));
  let [start, length] = [-1, 1];
  for (let i = 0; i < 8; i++) {
    let end = i;
    while (end < 8 && groups[end] === 0) end++;
    if (end - i > length) [start, length] = [i, end - i];
  }
  const hex = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(":");
  return start < 0 ? hex(groups) : `${hex(groups.slice(0, start))}::${hex(groups.slice(start + length))}`;
}
