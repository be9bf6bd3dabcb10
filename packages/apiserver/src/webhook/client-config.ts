import type { DeepReadonly, WebhookClientConfig } from "@kubewright/apimachinery";

/** Address of a connection. */
export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
}

/** Resolves the address of a Service's port. @throws {Error} with upstream's message if it has none */
export type ResolveService = (namespace: string, name: string, port: number) => Promise<ServiceAddress>;

const httpsPort = 443;

/** URL of requests, and the expected server name. */
export interface Destination {
  /** With path, without query. */
  readonly url: URL;
  readonly serverName: string;
  /** Address to connect to; absent if the URL is sufficient. */
  readonly resolve?: (() => Promise<ServiceAddress>) | undefined;
}

/** Returns the destination of a webhook's calls. @throws {Error} if the URL is not valid */
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

/** Formats the destination like Go, always with a service's port. */
export function printedUrl({ url, resolve }: Destination, query: string): string {
  const host = resolve && url.port === "" ? `${url.host}:${httpsPort}` : url.host;
  const path = url.pathname === "/" && !resolve ? "/" : url.pathname;
  return `${url.protocol}//${host}${path}?${query}`;
}
