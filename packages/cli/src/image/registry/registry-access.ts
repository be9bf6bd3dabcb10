import { isRecord } from "@kubewright/apimachinery";
import { CommandError } from "../../command/errors.ts";
import type { Credentials, DockerConfig } from "./docker-config.ts";
import { bytesOf, discard, exchange, type HttpCall, type HttpResponse, placeOf } from "./http-exchange.ts";

/** Maximum size of a token response. */
const maxTokenBytes = 256 * 1024;

/** Parsed challenge from the registry, such as `Bearer realm="…",service="…"`. */
interface Challenge {
  readonly scheme: "basic" | "bearer";
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * Sends requests to one registry, with the credentials in Docker's configuration or with a token obtained with them.
 *
 * @see distribution docs/spec/auth/token.md
 */
export class RegistryAccess {
  readonly #host: string;
  readonly #origin: string;
  readonly #config: DockerConfig;
  readonly #signal: AbortSignal;
  readonly #scopes: readonly string[];
  #authorization: string | undefined;

  /** Creates the access to a registry. @param scopes scopes for requested tokens, such as `repository:shop:pull,push` */
  constructor(
    { host, origin }: { readonly host: string; readonly origin: string },
    config: DockerConfig,
    scopes: readonly string[],
    signal: AbortSignal,
  ) {
    this.#host = host;
    this.#origin = origin;
    this.#config = config;
    this.#scopes = scopes;
    this.#signal = signal;
  }

  /**
   * Sends a request with the credentials or token that the registry requires.
   *
   * @throws {CommandError} if the registry rejects the credentials
   */
  async call(call: HttpCall): Promise<HttpResponse> {
    const before = this.#authorization;
    const first = await this.#send(call);
    if (first.status !== 401) return this.#notForbidden(call, first);
    discard(first);
    const challenge = challengeIn(first.headers["www-authenticate"]);
    if (!challenge || new URL(call.url).origin !== this.#origin) throw this.#refusal(call, 401);
    this.#authorization = await this.#authorize(challenge, call);
    if (this.#authorization === before) throw this.#refusal(call, 401);
    const second = await this.#send(call);
    if (second.status === 401) throw this.#refusal(call, 401);
    return this.#notForbidden(call, second);
  }

  #send(call: HttpCall): Promise<HttpResponse> {
    const isOwn = new URL(call.url).origin === this.#origin;
    const authorization = isOwn && this.#authorization ? { authorization: this.#authorization } : {};
    return exchange({ ...call, headers: { ...call.headers, ...authorization } }, this.#signal);
  }

  #notForbidden(call: HttpCall, answer: HttpResponse): HttpResponse {
    if (answer.status !== 403) return answer;
    answer.body.destroy();
    throw this.#refusal(call, 403);
  }

  async #authorize({ scheme, parameters }: Challenge, call: HttpCall): Promise<string> {
    const credentials = this.#config.credentials(this.#host);
    if (scheme === "basic") {
      if (!credentials) throw this.#refusal(call, 401);
      return basic(credentials);
    }
    const answer = await exchange(this.#tokenCall(parameters, credentials), this.#signal);
    const bytes = await bytesOf(answer, maxTokenBytes, `${this.#host}: the token response`);
    if (answer.status !== 200) throw this.#refusal(call, answer.status);
    const token = tokenIn(bytes);
    if (token === undefined) throw new CommandError(`${this.#host}: the token response contains no token`);
    return `Bearer ${token}`;
  }

  #tokenCall(parameters: Challenge["parameters"], credentials: Credentials | undefined): HttpCall {
    const realm = parameters.get("realm");
    if (!realm || !URL.canParse(realm))
      throw new CommandError(`${this.#host} requires a token, but sends an invalid realm: ${JSON.stringify(realm)}`);
    const url = placeOf(realm, this.#origin, this.#host);
    const service = parameters.get("service");
    if (credentials?.identityToken) {
      const form = new URLSearchParams({ grant_type: "refresh_token", client_id: "kubewright" });
      form.set("refresh_token", credentials.identityToken);
      if (service) form.set("service", service);
      form.set("scope", this.#scopes.join(" "));
      const bytes = Buffer.from(form.toString());
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      return { method: "POST", url: url.href, headers, body: { length: bytes.length, read: () => once(bytes) } };
    }
    if (service) url.searchParams.set("service", service);
    for (const scope of this.#scopes) url.searchParams.append("scope", scope);
    return {
      method: "GET",
      url: url.href,
      ...(credentials ? { headers: { authorization: basic(credentials) } } : {}),
    };
  }

  /** Returns an error that contains the user whom the registry rejected, and the configuration file. */
  #refusal({ method, url }: HttpCall, status: number): CommandError {
    const { path } = this.#config;
    const used = this.#config.credentials(this.#host);
    const helper = this.#config.helper(this.#host);
    const who = used
      ? `as ${JSON.stringify(used.username)} of ${path}`
      : `without credentials: ${path} contains none for ${JSON.stringify(this.#host)}${helper ? ` (credential helpers such as ${helper} are not supported)` : ""}`;
    return new CommandError(
      `${this.#host} responded with ${status} to ${method} ${new URL(url).pathname} ${who}; run docker login ${this.#host}`,
    );
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const basic = ({ username, password }: Credentials): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;

function challengeIn(header: string | undefined): Challenge | undefined {
  const [, scheme, rest = ""] = /^\s*(basic|bearer)\b(.*)$/is.exec(header ?? "") ?? [];
  if (!scheme) return undefined;
  const pairs = [...rest.matchAll(/(?<![a-z])([a-z]+)\s*=\s*(?:"([^"]*)"|([^\s,"]+))/gi)];
  return {
    scheme: scheme.toLowerCase() === "basic" ? "basic" : "bearer",
    parameters: new Map(pairs.map(([, name = "", quoted, bare]) => [name.toLowerCase(), quoted ?? bare ?? ""])),
  };
}

function tokenIn(bytes: Buffer): string | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    const { token, access_token } = isRecord(value) ? value : {};
    const found = [token, access_token].find((one) => typeof one === "string" && /^[\x21-\x7e]+$/.test(one));
    return typeof found === "string" ? found : undefined;
  } catch {
    return undefined; // not JSON, and therefore no token
  }
}
