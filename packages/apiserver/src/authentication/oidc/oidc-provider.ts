import { rootCertificates } from "node:tls";
import { systemClock } from "@kubewright/clock";
import type { JSONWebKeySet } from "jose";
import type { Agent } from "undici";
import { boundedText, within } from "../../http/bounded-answer.ts";

export interface OidcProviderOptions {
  readonly issuer: string;
  /** Where the discovery document is, if not where the issuer says. */
  readonly discoveryUrl?: string;
  /** PEM. Default: the machine's roots. */
  readonly certificateAuthority?: string;
  readonly signingAlgs: readonly string[];
}

const timeoutMs = 30_000;
/** Of a discovery document or a set of keys. */
const maxAnswerBytes = 1024 * 1024;
const shownLength = 1_024;

/**
 * An issuer of tokens: finds its keys and verifies signatures. Keys are read on first use, and anew when a token is signed with one
 * that is not known.
 *
 * @see github.com/coreos/go-oidc Provider, RemoteKeySet
 */
export class OidcProvider {
  readonly #options: OidcProviderOptions;
  #agent: Promise<Agent> | undefined;
  #keySetUri: Promise<string> | undefined;
  #keys: Promise<JSONWebKeySet> | undefined;

  constructor(options: OidcProviderOptions) {
    this.#options = options;
  }

  /** The payload of a token that the issuer signed. @throws {Error} */
  async verify(token: string): Promise<Readonly<Record<string, unknown>>> {
    const uri = await this.#discover();
    const remembered = this.#keys;
    const known = remembered && (await this.#payload(token, remembered).catch(() => undefined));
    const payload = known ?? (await this.#payload(token, this.#fetchKeys(uri)));
    return JSON.parse(Buffer.from(payload).toString("utf8"));
  }

  async close(): Promise<void> {
    await (await this.#agent)?.destroy();
  }

  async #payload(token: string, keys: Promise<JSONWebKeySet>): Promise<Uint8Array> {
    const { compactVerify, createLocalJWKSet } = await import("jose");
    const keySet = createLocalJWKSet(await keys);
    try {
      return (await compactVerify(token, keySet, { algorithms: [...this.#options.signingAlgs] })).payload;
    } catch (cause) {
      throw new Error("failed to verify signature: failed to verify id token signature", { cause });
    }
  }

  #fetchKeys(uri: string): Promise<JSONWebKeySet> {
    const keys = this.#getJson(uri).then((document): JSONWebKeySet => {
      if (!Array.isArray(document.keys)) throw new Error(`${uri} answered no set of keys`);
      return { keys: document.keys };
    });
    this.#keys = keys;
    keys.catch(() => {
      if (this.#keys === keys) this.#keys = undefined;
    });
    return keys;
  }

  /** @throws {Error} as long as the issuer cannot be asked; the next token asks again */
  async #discover(): Promise<string> {
    this.#keySetUri ??= this.#readDiscovery();
    try {
      return await this.#keySetUri;
    } catch (cause) {
      this.#keySetUri = undefined;
      throw new NotInitialized("oidc: authenticator not initialized", { cause });
    }
  }

  async #readDiscovery(): Promise<string> {
    const { issuer, discoveryUrl } = this.#options;
    const document = await this.#getJson(
      discoveryUrl ?? `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`,
    );
    if (document.issuer !== issuer)
      throw new Error(
        `oidc: issuer URL provided to client ("${issuer}") did not match the issuer URL returned by provider ("${String(document.issuer)}")`,
      );
    if (typeof document.jwks_uri !== "string") throw new Error("provider did not return JWKS URL");
    return document.jwks_uri;
  }

  /** Loaded when there is an issuer to ask: most servers have none, and start the faster. */
  async #connect(): Promise<Agent> {
    const { Agent } = await import("undici");
    const ca = this.#options.certificateAuthority ?? [...rootCertificates];
    return new Agent({ connect: { ca, timeout: timeoutMs }, headersTimeout: timeoutMs, bodyTimeout: timeoutMs });
  }

  async #getJson(url: string): Promise<Record<string, unknown>> {
    this.#agent ??= this.#connect();
    const { request } = await import("undici");
    const dispatcher = await this.#agent;
    const { statusCode, text } = await within(systemClock, timeoutMs, async (signal) => {
      const answer = await request(url, { dispatcher, signal });
      return { statusCode: answer.statusCode, text: await boundedText(answer.body, maxAnswerBytes) };
    });
    if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}: ${text.slice(0, shownLength)}`);
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null) throw new Error(`${url} answered no JSON object`);
    return Object.fromEntries(Object.entries(value));
  }
}

/** The issuer could not be asked for its keys. */
export class NotInitialized extends Error {
  override readonly name = "NotInitialized";
}
