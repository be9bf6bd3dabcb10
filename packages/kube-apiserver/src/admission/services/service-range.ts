/** Address range for Services (IPv4 only). */
export interface ServiceRange {
  /** The range as written, such as `10.96.0.0/12`. */
  readonly text: string;
  /** The network address as a number. It is not allocated to a Service. */
  readonly base: number;
  /** Number of addresses, including the network address and the last one. */
  readonly size: number;
}

export const defaultServiceRange: ServiceRange = serviceRange("10.96.0.0/12");

/**
 * Parses an address range.
 *
 * @throws {Error} if the text is not an IPv4 network with room for a Service
 */
export function serviceRange(text: string): ServiceRange {
  const [, address = "", bits = ""] = /^(\d+\.\d+\.\d+\.\d+)\/(\d+)$/.exec(text) ?? [];
  const parts = address.split(".").map(Number);
  const prefix = Number(bits);
  if (address === "" || parts.some((part) => part > 255) || prefix > 30)
    throw new Error(
      `the Service IP range must be an IPv4 network with at least 4 addresses, not ${JSON.stringify(text)}`,
    );
  const size = 2 ** (32 - prefix);
  const value = addressValue(address);
  return { text, base: value - (value % size), size };
}

/** Returns the address at a position in a range. The API server's address is at position 1. */
export function addressAt({ base }: ServiceRange, index: number): string {
  const value = base + index;
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff).join(".");
}

/**
 * Reports whether an address in the range can be allocated to a Service. The network address and the last address cannot.
 *
 * @see kubernetes pkg/registry/core/service/ipallocator
 */
export function isInRange({ base, size }: ServiceRange, address: string): boolean {
  const value = addressValue(address);
  return value > base && value < base + size - 1;
}

function addressValue(address: string): number {
  return address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
}
