import { isIPv4, isIPv6 } from "node:net";
import { tagged } from "./der.ts";

const label = /^[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?$/;
const longestName = 253;

/**
 * Encodes a subject alternative name in DER: an IP address, a DNS name, or `*.` followed by at least two labels.
 *
 * @throws {Error} if no client would accept the text as a server name; the message contains the text
 */
export function alternativeName(host: string): Buffer {
  if (isIPv4(host)) return tagged(7, ipv4Bytes(host), false);
  if (isIPv6(host)) return tagged(7, ipv6Bytes(host), false);
  const problem = problemOf(host);
  if (problem) throw new Error(`cannot issue a certificate for the host ${JSON.stringify(shown(host))}: ${problem}`);
  return tagged(2, Buffer.from(host), false);
}

function problemOf(host: string): string | undefined {
  if (host === "") return "it is empty; omit it";
  if (host.length > longestName) return `it is longer than ${longestName} characters`;
  if (/[^\x21-\x7e]/.test(host))
    return "a DNS name must consist of ASCII characters without spaces; encode it with domainToASCII of node:url";
  if (host.endsWith(".")) return "omit the trailing dot";
  const labels = host.split(".");
  const named = labels[0] === "*" ? labels.slice(1) : labels;
  const wrong = named.find((each) => !label.test(each));
  if (host.includes("*") && (wrong?.includes("*") || named.length < 2))
    return "an asterisk must be the whole first label, followed by at least two labels, as in *.shop.svc";
  if (/^\d+$/.test(labels.at(-1) ?? "")) return "it looks like an IP address but is not valid";
  if (wrong === undefined) return undefined;
  return `${JSON.stringify(wrong)} is not a label of a DNS name: use up to 63 letters, digits and inner hyphens, without a scheme or port`;
}

const shown = (host: string): string => (host.length > 80 ? `${host.slice(0, 80)}…` : host);

const ipv4Bytes = (host: string): Buffer => Buffer.from(host.split(".").map(Number));

function ipv6Bytes(host: string): Buffer {
  if (host.includes("%"))
    throw new Error(`cannot issue a certificate for the address "${host}": omit the zone, which starts with %`);
  const words = (text: string | undefined): number[] => (text ? text.split(":").flatMap(wordsOf) : []);
  const [head, tail] = host.split("::");
  const [before, after] = [words(head), words(tail)];
  const gap = new Array<number>(tail === undefined ? 0 : 8 - before.length - after.length).fill(0);
  return Buffer.from([...before, ...gap, ...after].flatMap((word) => [word >> 8, word & 0xff]));
}

/** Returns the 16-bit words of a part of an IPv6 address. The last 32 bits may be written as an IPv4 address. */
function wordsOf(part: string): number[] {
  if (!isIPv4(part)) return [Number.parseInt(part, 16)];
  const [a = 0, b = 0, c = 0, d = 0] = part.split(".").map(Number);
  return [a * 256 + b, c * 256 + d];
}
