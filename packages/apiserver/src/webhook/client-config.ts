import type { DeepReadonly, WebhookClientConfig } from "@kubewright/apimachinery";

/** An address to connect to. */
export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
}

/** Returns an address for a Service's port. @throws {Error} with upstream's message if there is no such address */
export type ResolveService = (namespace: string, name: string, port: number) => Promise<ServiceAddress>;

const httpsPort = 443;

/** The destination of calls to a webhook: the URL, and the server name expected in the certificate. */
export interface Destination {
  /** URL with the path, but without the query. */
  readonly url: URL;
  readonly serverName: string;
  /** Returns the address to connect to; absent if the address is in the URL. */
  readonly resolve?: (() => Promise<ServiceAddress>) | undefined;
}

/** Returns the destination for calls to a webhook. @throws {Error} if the webhook's URL is not valid */
export function destinationOf(
  { url, service }: DeepReadonly<WebhookClientConfig>,
  resolveService: ResolveService,
): Destination {
  if (service) {
    const { namespace, name, path = "", port = httpsPort } = service;
    const serverName = `${name}.${namespace}.svc`;
    const parsed = new URL(`https://${serverName}:${port}`);
    parsed.pathname = path;
    return { url: parsed, serverName, resolve: () => resolveService(namespace, name, port) };
  }
  if (!url) throw new Error("webhook configuration must have either service or URL");
  const parsed = new URL(url);
  return { url: parsed, serverName: parsed.hostname.replace(/^\[(.*)\]$/, "$1") };
}

/** Returns a destination's host and port. The port is always included. */
export const hostPortOf = ({ url }: Destination): string => (url.port === "" ? `${url.host}:${httpsPort}` : url.host);

/** Formats a destination's URL like Go, which always prints a Service's port. */
export function printedUrl(destination: Destination, query: string): string {
  const { url, resolve } = destination;
  const host = resolve ? hostPortOf(destination) : url.host;
  const path = url.pathname === "/" && !resolve ? "/" : url.pathname;
  return `${url.protocol}//${host}${path}?${query}`;
}
