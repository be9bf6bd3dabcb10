import { CertificateAuthority } from "@kubewright/certificates";
import type { Crd } from "../crd/crd-source.ts";
import type { TestWebhookOptions } from "./served-webhooks.ts";
import type { ClientConfig, Configuration } from "./webhook-source.ts";

const host = "127.0.0.1";

/** Address and CA of the webhook server in a program under test. */
export class LocalServer {
  readonly #port: number;
  #authority: CertificateAuthority | undefined;
  #options: TestWebhookOptions | undefined;

  /** Creates an address with new certificates. @param port port of the server; 0 for any free port */
  constructor(port = 0) {
    this.#port = port;
  }

  get options(): TestWebhookOptions {
    if (this.#options) return this.#options;
    const { certificate: cert, key } = this.#ca.issueServer("webhooks", [host, "localhost"]);
    this.#options = { host, port: this.#port, certificates: { cert, key, ca: this.#ca.certificate } };
    return this.#options;
  }

  urlAt(port: number): string {
    return `https://${host}:${port}`;
  }

  /** Returns a copy of a client config that calls this server at the same path. */
  readonly called = ({ service, url }: ClientConfig): ClientConfig => {
    const path = service?.path ?? (url === undefined ? "/" : new URL(url).pathname);
    return { url: `${this.urlAt(this.#port)}${path}`, caBundle: this.#caBundle };
  };

  /** Adds the CA bundle of this server to a client config, unless it already has one. */
  readonly trusted = (config: ClientConfig): ClientConfig => ({ caBundle: this.#caBundle, ...config });

  /** CA bundle of this server: PEM in base64. */
  get #caBundle(): string {
    return Buffer.from(this.#ca.certificate).toString("base64");
  }

  get #ca(): CertificateAuthority {
    this.#authority ??= new CertificateAuthority("kubewright-envtest-webhooks");
    return this.#authority;
  }
}

type Rewrite = (config: ClientConfig) => ClientConfig;

export const configurationWith = (source: Configuration, rewrite: Rewrite): Configuration => ({
  ...source,
  ...(source.webhooks
    ? { webhooks: source.webhooks.map((each) => ({ ...each, clientConfig: rewrite(each.clientConfig) })) }
    : {}),
});

/** Rewrites the client config of a CRD's conversion webhook. A CRD without a conversion webhook is returned unchanged. */
export function definitionWith(source: Crd, rewrite: Rewrite): Crd {
  const { conversion } = source.spec;
  if (conversion?.strategy !== "Webhook") return source;
  const { conversionReviewVersions = ["v1"], clientConfig = {} } = conversion.webhook ?? {};
  const webhook = { conversionReviewVersions, clientConfig: rewrite(clientConfig) };
  return { ...source, spec: { ...source.spec, conversion: { ...conversion, webhook } } };
}
