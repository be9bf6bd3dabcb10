/** An IPv4 network: the length of its prefix in bits, and its address as an unsigned 32-bit number, with zeros after the prefix. */
export interface Network {
  readonly address: number;
  readonly bits: number;
}

/**
 * Parsed value of a field that restricts packets, or undefined if the field does not restrict them. `unclear` means
 * that programs on the CNF disagree about the meaning, for example of a leading zero.
 */
export type FieldValue<T> = T | undefined | "unclear";

const addressPattern = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?:\/(\d{1,2}))?$/;
export const hasLeadingZero = (digits: string): boolean => digits.length > 1 && digits.startsWith("0");

/** Parses an address or network. */
export function networkIn(text: string): FieldValue<Network> {
  if (text === "") return undefined;
  const [, ...parts] = addressPattern.exec(text) ?? [];
  const [bits = "32", ...octets] = [parts[4], ...parts.slice(0, 4)].map((part) => part ?? "32");
  if (octets.length < 4 || [bits, ...octets].some(hasLeadingZero)) return "unclear";
  const numbers = octets.map(Number);
  if (numbers.some((octet) => octet > 255) || Number(bits) > 32) return "unclear";
  const address = numbers.reduce((sum, octet) => sum * 256 + octet, 0);
  return { address: networkOf(address, Number(bits)), bits: Number(bits) };
}

/** Parses a port. */
export function portIn(text: string): FieldValue<number> {
  if (text === "") return undefined;
  return /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535 ? Number(text) : "unclear";
}

/** Returns the network part of an address, which has `bits` bits. */
export const networkOf = (address: number, bits: number): number =>
  bits === 0 ? 0 : (address & (-1 << (32 - bits))) >>> 0;

/** Returns a normalized string that is the same for all addresses and networks that the kernel treats as equal. */
export function kernelAddress(text: string): string {
  const network = networkIn(text);
  if (typeof network !== "object") return text;
  return network.bits === 0 ? "" : `${network.address}/${network.bits}`;
}
