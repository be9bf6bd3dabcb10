import { rootCertificates } from "node:tls";
import type { Clock } from "@kubewright/clock";
import type { JSONWebKeySet } from "jose";
import type { Agent } from "undici";
import { boundedText, within } from "../../http/bounded-response.ts";

export interface OidcProviderOptions {
  readonly issuer: string;
  /** URL of the discovery document. Default: derived from the issuer's URL. */
  readonly discoveryUrl?: string | undefined;
  /** CA certificates that verify the issuer's server, in PEM format. Default: Node's root CAs. */
  readonly certificateAuthority?: string | undefined;
  readonly signingAlgs: readonly string[];
  readonly clock: Clock;
}

const timeoutMs = 30_000;
/** Maximum size of a discovery document or key set. */
const maxResponseBytes = 1024 * 1024;
const shownLength = 1_024;
/** Limit for the requests that tokens can cause: their number in a burst, and the interval after which another one is permitted. */
const requestLimit = { burst: 5, everyMs: 10_000 } as const;

/**
 * Verifies tokens with their issuer's keys. The keys are fetched on first use, and again if a token cannot be verified
 * with any known key. Because anyone can send such tokens, concurrent verifications share one request for keys, and the
 * number of requests is limited.
 *
 * @see github.com/coreos/go-oidc Provider, RemoteKeySet
 */
export class OidcProvider {
  readonly #options: OidcProviderOptions;
  #agent: Promise<Agent> | undefined;
  #keySetUri: Promise<string> | undefined;
  #keys: Promise<JSONWebKeySet> | undefined;
  #fetching: Promise<JSONWebKeySet> | undefined;
  #requestsLeft: number = requestLimit.burst;
  #refilledAt: number;

  constructor(options: OidcProviderOptions) {
    this.#options = options;
    this.#refilledAt = options.clock.monotonic();
  }

  /** Returns the claims of a token that the issuer signed. @throws {Error} if the signature is not valid or the keys cannot be fetched */
  async verify(token: string): Promise<Readonly<Record<string, unknown>>> {
    const uri = await this.#discover();
    const remembered = this.#keys;
    let failure: unknown = new Error(`fetching keys: ${tooSoon}`);
    try {
      if (remembered) return claimsOf(await this.#payload(token, remembered));
    } catch (error) {
      failure = error;
    }
    if (!this.#fetching && !this.#mayAsk()) throw failure;
    return claimsOf(await this.#payload(token, this.#fetchKeys(uri)));
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

  #mayAsk(): boolean {
    const earned = Math.floor((this.#options.clock.monotonic() - this.#refilledAt) / requestLimit.everyMs);
    this.#requestsLeft = Math.min(requestLimit.burst, this.#requestsLeft + earned);
    this.#refilledAt += earned * requestLimit.everyMs;
    if (this.#requestsLeft === 0) return false;
    this.#requestsLeft--;
    return true;
  }

  #fetchKeys(uri: string): Promise<JSONWebKeySet> {
    if (this.#fetching) return this.#fetching;
    const keys = this.#getJson(uri).then((document): JSONWebKeySet => {
      if (!Array.isArray(document.keys)) throw new Error(`${uri} did not respond with a key set`);
      return { keys: document.keys };
    });
    this.#fetching = keys;
    keys
      .then(
        () => {
          this.#keys = keys;
        },
        () => {}, // the error is reported for the tokens that wait for these keys; the previous keys stay in use
      )
      .finally(() => {
        this.#fetching = undefined;
      });
    return keys;
  }

  /**
   * Returns the URL of the key set from the issuer's discovery document.
   *
   * @throws {Error} if the document cannot be read; the next token triggers another attempt
   */
  async #discover(): Promise<string> {
    try {
      if (!this.#keySetUri && !this.#mayAsk()) throw new Error(`cannot read the discovery document: ${tooSoon}`);
      this.#keySetUri ??= this.#readDiscovery();
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

  /** Creates an HTTP client. The HTTP library is loaded on first use: most servers have no issuer, and start faster without it. */
  async #connect(): Promise<Agent> {
    const { Agent } = await import("undici");
    const ca = this.#options.certificateAuthority ?? [...rootCertificates];
    return new Agent({ connect: { ca, timeout: timeoutMs }, headersTimeout: timeoutMs, bodyTimeout: timeoutMs });
  }

  async #getJson(url: string): Promise<Record<string, unknown>> {
    this.#agent ??= this.#connect();
    const { request } = await import("undici");
    const dispatcher = await this.#agent;
    const { statusCode, text } = await within(this.#options.clock, timeoutMs, async (signal) => {
      const answer = await request(url, { dispatcher, signal });
      return { statusCode: answer.statusCode, text: await boundedText(answer.body, maxResponseBytes) };
    });
    if (statusCode !== 200)
      throw new Error(`${url} responded with status ${statusCode}: ${text.slice(0, shownLength)}`);
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null) throw new Error(`${url} did not respond with a JSON object`);
    return Object.fromEntries(Object.entries(value));
  }
}

const tooSoon = "too many requests to the issuer; wait a few seconds";

const claimsOf = (payload: Uint8Array): Readonly<Record<string, unknown>> =>
  JSON.parse(Buffer.from(payload).toString("utf8"));

/** Thrown if an issuer's keys are unknown because its discovery document could not be read. */
export class NotInitialized extends Error {
  override readonly name = "NotInitialized";
}
