import { CertificateAuthority } from "@kubewright/certificates";
import type { Crd } from "../crd/crd-source.ts";
import type { TestWebhookOptions } from "./served-webhooks.ts";
import type { ClientConfig, Configuration } from "./webhook-source.ts";

const host = "127.0.0.1";

/** Domain of webhook servers in this process. Names that end in `.invalid` never exist. */
const inProcessDomain = "in-process.invalid";

/** The address and CA of the webhook server in a program under test. */
export class LocalServer {
  readonly #port: number | "in process";
  #authority: CertificateAuthority | undefined;
  #options: TestWebhookOptions | undefined;
  #count = 0;

  /** Creates an address with new certificates. @param port port of the server; 0 for any free port; "in process" for none */
  constructor(port: number | "in process" = 0) {
    this.#port = port;
  }

  get options(): TestWebhookOptions {
    if (this.#options) return this.#options;
    if (this.#port === "in process") return { host, port: 0, listen: false };
    const { certificate: cert, key } = this.#ca.issueServer("webhooks", [host, "localhost"]);
    this.#options = { host, port: this.#port, listen: true, certificates: { cert, key, ca: this.#ca.certificate } };
    return this.#options;
  }

  /** URL of this server. */
  get url(): string {
    return this.#port === "in process" ? `https://webhooks.${inProcessDomain}` : this.urlAt(this.#port);
  }

  /** Returns a new URL for a server in this process. */
  newUrl(): string {
    return `https://webhooks-${++this.#count}.${inProcessDomain}`;
  }

  urlAt(port: number): string {
    return `https://${host}:${port}`;
  }

  /** Returns a copy of a client config that calls this server at the same path. */
  readonly called = ({ service, url }: ClientConfig): ClientConfig => {
    const path = service?.path ?? (url === undefined ? "/" : new URL(url).pathname);
    return { url: `${this.url}${path}`, ...this.#trust };
  };

  /** Adds the CA bundle of this server to a client config, unless it already has one. */
  readonly trusted = (config: ClientConfig): ClientConfig => ({ ...this.#trust, ...config });

  /** CA bundle of this server: PEM in base64. */
  get #trust(): { readonly caBundle?: string } {
    if (this.#port === "in process") return {};
    return { caBundle: Buffer.from(this.#ca.certificate).toString("base64") };
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
