import { rootCertificates } from "node:tls";
import type { Clock } from "@kubewright/clock";
import type { JSONWebKeySet } from "jose";
import type { Agent } from "undici";
import { boundedText, within } from "../../http/bounded-response.ts";

export interface OidcProviderOptions {
  readonly issuer: string;
  /** URL of the discovery document, if not derived from the issuer. */
  readonly discoveryUrl?: string | undefined;
  /** CA certificates for calls to the issuer, in PEM. Default: the machine's root CAs. */
  readonly certificateAuthority?: string | undefined;
  readonly signingAlgs: readonly string[];
  readonly clock: Clock;
}

const timeoutMs = 30_000;
/** Maximum size of a discovery document or key set. */
const maxResponseBytes = 1024 * 1024;
const shownLength = 1_024;
/** Number of requests that tokens can cause in a burst, and the interval after which one more is allowed. */
const requestLimit = { burst: 5, everyMs: 10_000 } as const;

/**
 * A token issuer, whose keys are fetched to verify signatures. Keys are read on first use, and again when no known key verifies a token.
 * Since anyone can send such tokens, they share a request that is already under way, and the number of requests is limited.
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

  /** Returns the payload of a token signed by the issuer. @throws {Error} */
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
        () => {}, // reported for the tokens that are waiting for the keys; the former keys stay in use
      )
      .finally(() => {
        this.#fetching = undefined;
      });
    return keys;
  }

  /** @throws {Error} as long as the issuer cannot be reached; the next token triggers another attempt */
  async #discover(): Promise<string> {
    try {
      if (!this.#keySetUri && !this.#mayAsk()) throw new Error(`reading the discovery document: ${tooSoon}`);
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

  /** Loaded on first use, because most servers have no issuer and start faster this way. */
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

const tooSoon = "too many requests to the issuer, wait a few seconds";

const claimsOf = (payload: Uint8Array): Readonly<Record<string, unknown>> =>
  JSON.parse(Buffer.from(payload).toString("utf8"));

/** Error for an issuer whose keys could not be requested. */
export class NotInitialized extends Error {
  override readonly name = "NotInitialized";
}
