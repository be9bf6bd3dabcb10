import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { isLoopback, type Listening } from "./listening.ts";

/**
 * Returns the reason why a request is not intended for this console, or undefined if it is. This detects requests sent
 * by pages from a different origin, and requests for other host names that resolve to this machine. Additional host
 * names of the console must be listed in `hosts`; IP addresses need not be listed.
 */
export function refusalOf(
  { headers }: Pick<IncomingMessage, "headers">,
  listening: Listening,
  hosts: readonly string[],
): string | undefined {
  const { host = "", origin } = headers;
  const name = /^(\[[0-9a-fA-F:.]+\]|[^:/@\s]+)(?::\d{1,5})?$/.exec(host)?.[1]?.toLowerCase();
  if (!name || !isOurs(name, listening, hosts)) return `the host "${host.slice(0, 100)}" is not a host of this console`;
  const scheme = listening.isSecure ? "https" : "http";
  if (origin !== undefined && origin.toLowerCase() !== `${scheme}://${host.toLowerCase()}`)
    return "the request comes from a page with a different origin";
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none")
    return "the request comes from a page on a different site";
  return undefined;
}

function isOurs(name: string, listening: Listening, hosts: readonly string[]): boolean {
  if (isLoopback(name) || hosts.some((host) => host.toLowerCase() === name)) return true;
  return !listening.isLoopback && isIP(name.replace(/^\[|\]$/g, "")) !== 0;
}
