import { lookup } from "node:dns/promises";
import { isIPv4 } from "node:net";

/**
 * Resolves a DNS name to its IPv4 addresses, in any order. Rejects with an error whose `code` is `ENOTFOUND` or `ENODATA` where the
 * name has none; any other error says that nobody knows at the moment.
 */
export type Resolve = (name: string, signal: AbortSignal) => Promise<string[]>;

/** As the programs of the machine resolve it: with its search domains and its hosts file. */
export const systemResolve: Resolve = async (name) => {
  const answers = await lookup(name, { family: 4, all: true });
  return answers.map(({ address }) => address).filter((address) => isIPv4(address));
};
