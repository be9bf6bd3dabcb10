/** Where API servers find the server of webhooks. */
export type WebhookTarget = {
  /** What the names of the configurations begin with. Default: the service's name, or `kubewright`. */
  readonly name?: string | undefined;
  /** PEM that API servers are to trust. Default: what the source of the certificates knows; where that is nothing, it is left out. */
  readonly caBundle?: string | undefined;
  /** The operator's own namespace. Default: that of the service. */
  readonly namespace?: string | undefined;
} & (
  | { readonly service: ServiceTarget; readonly url?: undefined }
  /** Such as `https://127.0.0.1:9443`. */
  | { readonly url: string; readonly service?: undefined }
);

/** The Service in front of the webhook server. @see api/admissionregistration/v1 ServiceReference */
export interface ServiceTarget {
  readonly namespace: string;
  readonly name: string;
  /** Default 443. */
  readonly port?: number | undefined;
}

/** Where API servers call a webhook: by a Service, or a URL. @see api/admissionregistration/v1 WebhookClientConfig */
export interface ClientConfig {
  service?: { namespace: string; name: string; path: string; port?: number };
  url?: string;
  /** PEM in base64. */
  caBundle?: string;
}

/** How API servers call a path. @throws {Error} if the url is none that they take */
export function clientConfigOf(target: WebhookTarget, path: string): ClientConfig {
  const ca = target.caBundle === undefined ? {} : { caBundle: Buffer.from(target.caBundle).toString("base64") };
  if (target.url !== undefined) return { url: `${checkedUrl(target.url)}${path}`, ...ca };
  const { namespace, name, port } = target.service;
  return { service: { namespace, name, path, ...(port === undefined ? {} : { port }) }, ...ca };
}

function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isBare = url && url.protocol === "https:" && url.username === "" && url.search === "" && url.hash === "";
  if (!isBare)
    throw new Error(`url: "${text}" must be https://host:port, with a path at most: API servers take no other`);
  return text.replace(/\/+$/, "");
}
