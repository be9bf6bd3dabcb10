import { CertificateAuthority } from "@kubewright/certificates";
import type { Crd } from "../crd/crd-source.ts";
import type { TestWebhookOptions } from "./served-webhooks.ts";
import type { ClientConfig, Configuration } from "./webhook-source.ts";

const host = "127.0.0.1";

/** Where the program under test serves its webhooks, and the authority that its certificate is of. */
export class LocalServer {
  readonly #port: number;
  #authority: CertificateAuthority | undefined;
  #options: TestWebhookOptions | undefined;

  /** At any free port, unless one is known before. */
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

  /** What configurations say of how to call this server, at the path that they have. */
  readonly called = ({ service, url }: ClientConfig): ClientConfig => {
    const path = service?.path ?? (url === undefined ? "/" : new URL(url).pathname);
    return { url: `${this.urlAt(this.#port)}${path}`, caBundle: this.#caBundle };
  };

  /** Whoever says nothing of whom to trust trusts the authority of this server. */
  readonly trusted = (config: ClientConfig): ClientConfig => ({ caBundle: this.#caBundle, ...config });

  /** PEM in base64. */
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

/** The same definition where no webhook converts. */
export function definitionWith(source: Crd, rewrite: Rewrite): Crd {
  const { conversion } = source.spec;
  if (conversion?.strategy !== "Webhook") return source;
  const { conversionReviewVersions = ["v1"], clientConfig = {} } = conversion.webhook ?? {};
  const webhook = { conversionReviewVersions, clientConfig: rewrite(clientConfig) };
  return { ...source, spec: { ...source.spec, conversion: { ...conversion, webhook } } };
}
