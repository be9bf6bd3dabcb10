import { isIPv4 } from "node:net";
import { networkInterfaces } from "node:os";

/** Returns the `advertiseAddress` option for a server that listens on `host`. */
export function advertised(host: string): { advertiseAddress?: string } {
  const advertiseAddress = hostAddress(host);
  return advertiseAddress === "" ? {} : { advertiseAddress };
}

/**
 * Returns the address that a server on `host` advertises: `host` itself, or the first external IPv4 address of this machine if others
 * cannot reach `host`. Empty if there is none.
 *
 * @see apimachinery pkg/util/net ResolveBindAddress
 */
function hostAddress(host: string): string {
  const isOwn = host === "" || host === "0.0.0.0" || host === "::" || host === "::1" || host.startsWith("127.");
  if (!isOwn) return host;
  const addresses = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  return addresses.find(({ internal, address }) => !internal && isIPv4(address))?.address ?? "";
}
