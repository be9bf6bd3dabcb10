import type { WebhookClientConfig } from "@kubewright/apimachinery";

/** Address at which API servers call the webhook server. */
export type WebhookTarget = {
  /** Prefix of the configurations' names. Default: the service's name, or `kubewright`. */
  readonly name?: string | undefined;
  /** CA certificate that API servers must trust, in PEM. Default: the CA certificate of the certificate source, if any. */
  readonly caBundle?: string | undefined;
  /** The operator's own namespace. Default: the Service's namespace. */
  readonly namespace?: string | undefined;
} & (
  | {
      /** The Service in front of the webhook server. Default port 443. @see api/admissionregistration/v1 ServiceReference */
      readonly service: { readonly namespace: string; readonly name: string; readonly port?: number | undefined };
      readonly url?: undefined;
    }
  /** Base URL, such as `https://127.0.0.1:9443`. */
  | { readonly url: string; readonly service?: undefined }
);

/** Returns the `clientConfig` for a path. @throws {Error} if API servers do not accept the URL */
export function clientConfigOf(target: WebhookTarget, path: string): WebhookClientConfig {
  const ca = target.caBundle === undefined ? {} : { caBundle: Buffer.from(target.caBundle).toString("base64") };
  if (target.url !== undefined) return { url: `${checkedUrl(target.url)}${path}`, ...ca };
  const { namespace, name, port } = target.service;
  return { service: { namespace, name, path, ...(port === undefined ? {} : { port }) }, ...ca };
}

function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isBare = url && url.protocol === "https:" && url.username === "" && url.search === "" && url.hash === "";
  if (!isBare)
    throw new Error(
      `url: "${text}" must be https://host:port, optionally with a path; API servers do not accept other URLs`,
    );
  return text.replace(/(?<!\/)\/+$/, "");
}
