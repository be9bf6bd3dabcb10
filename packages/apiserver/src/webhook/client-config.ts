/** Where a webhook is, as configurations of webhooks and definitions of custom resources say it. */
export interface WebhookClientConfig {
  readonly url?: string;
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly path?: string;
    readonly port?: number;
  };
  /** PEM, in base64. Empty or absent: the machine's certificate authorities. */
  readonly caBundle?: string;
}

/** Where a connection is made to. */
interface Address {
  readonly host: string;
  readonly port: number;
}

/** Finds where a port of a Service is served. @throws {Error} with upstream's words where it is not */
export type ResolveService = (namespace: string, name: string, port: number) => Promise<Address>;

const httpsPort = 443;

/** Where to send requests, and whom to expect there. */
export interface Destination {
  /** With path, without query. */
  readonly url: URL;
  readonly serverName: string;
  /** Absent where the URL says it all. */
  readonly resolve?: () => Promise<Address>;
}

/** @throws {Error} where the URL cannot be read */
export function destinationOf({ url, service }: WebhookClientConfig, resolveService: ResolveService): Destination {
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

/** The destination as Go prints it: a service's port is always there. */
export function printedUrl({ url, resolve }: Destination, query: string): string {
  const host = resolve && url.port === "" ? `${url.host}:${httpsPort}` : url.host;
  const path = url.pathname === "/" && !resolve ? "/" : url.pathname;
  return `${url.protocol}//${host}${path}?${query}`;
}
