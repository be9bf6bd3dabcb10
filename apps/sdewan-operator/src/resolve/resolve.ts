import { lookup } from "node:dns/promises";
import { isIPv4 } from "node:net";

/**
 * Resolves a DNS name to its IPv4 addresses, in any order. Rejects with an error whose `code` is `ENOTFOUND` or
 * `ENODATA` if the name has no addresses. Any other error means that the name cannot currently be resolved.
 */
export type Resolve = (name: string, signal: AbortSignal) => Promise<string[]>;

/** Resolves names like other programs on the machine, using the machine's search domains and hosts file. */
export const systemResolve: Resolve = async (name) => {
  const responses = await lookup(name, { family: 4, all: true });
  return responses.map(({ address }) => address).filter((address) => isIPv4(address));
};
