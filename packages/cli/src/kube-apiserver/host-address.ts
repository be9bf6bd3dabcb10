import { isIPv4 } from "node:net";
import { networkInterfaces } from "node:os";

/** The option of the server that says so. */
export function advertised(host: string): { advertiseAddress?: string } {
  const advertiseAddress = hostAddress(host);
  return advertiseAddress === "" ? {} : { advertiseAddress };
}

/**
 * The address under which a server is advertised that listens on `host`: that one, or where it is none that others can use, the first
 * of this machine; empty where the machine has none.
 *
 * @see apimachinery pkg/util/net ResolveBindAddress
 */
function hostAddress(host: string): string {
  const isOwn = host === "" || host === "0.0.0.0" || host === "::" || host === "::1" || host.startsWith("127.");
  if (!isOwn) return host;
  const addresses = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  return addresses.find(({ internal, address }) => !internal && isIPv4(address))?.address ?? "";
}
