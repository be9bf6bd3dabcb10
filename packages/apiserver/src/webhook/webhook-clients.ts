import type { DeepReadonly, WebhookClientConfig } from "@kubewright/apimachinery";
import { describePeerSafely } from "@kubewright/certificates";
import { type Clock, type Random, systemRandom } from "@kubewright/clock";
import { countSeparators, maxValues } from "@kubewright/codec";
import type { Agent, buildConnector } from "undici";
import { boundedText, ResponseTooLarge } from "../http/bounded-response.ts";
import type { InProcessHandle } from "../http/in-process.ts";
import { type Destination, destinationOf, hostPortOf, printedUrl, type ResolveService } from "./client-config.ts";
import { failureText, objectIn, type TextResponse } from "./text-response.ts";
import { transportErrorText } from "./transport-errors.ts";

/** The HTTP library. It is loaded on the first call, because it is large and most servers do not call webhooks. */
type Undici = typeof import("undici");

const idleMs = 4_000;
const maxAgents = 100;
/**
 * Webhooks are called over HTTP/1.1. If an HTTP/2 call is cancelled at the moment its response arrives, it leaves a stream without an error
 * listener behind, and the process ends when the idle connection is closed.
 */
const allowH2 = false;
/** Maximum number of connections to one webhook. Further calls wait, because webhook servers limit the number of connections. */
const maxConnections = 100;
/**
 * Smallest value that the maximum size of a response may have. It leaves room for a base64-encoded patch of the largest object, with a
 * reserve because objects may grow when they are converted.
 */
const leastMaxBytes = 16 * 1024 * 1024;
const maxBytesFor = (review: string): number => Math.max(leastMaxBytes, 4 * review.length);
/**
 * Returns the maximum number of values in a response. Each value costs time, and a response may be 16 MB of values of two bytes. A response
 * to a large review, such as a conversion of many objects, may contain more.
 */
const maxValuesFor = (review: string): number => Math.max(maxValues, 4 * countSeparators(review));
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const maxRedirects = 10;

/**
 * Thrown if a webhook did not respond with an object. It has upstream's message, which contains the URL and the cause.
 */
export class WebhookCallError extends Error {
  override readonly name = "WebhookCallError";
}

/** Options for {@link WebhookClients}. */
export interface WebhookClientsOptions {
  readonly clock: Clock;
  /** Source of random UIDs for reviews. Default: the system's source. */
  readonly random?: Random | undefined;
  readonly resolveService: ResolveService;
  /**
   * Returns the handler of the server in this process that serves a host, if there is one. It is called instead of opening a connection.
   * Default: none.
   */
  readonly inProcess?: ((host: string) => InProcessHandle | undefined) | undefined;
}

/** The credentials that the server presents to a webhook. */
export interface WebhookUser {
  /** Client certificate, in PEM format. */
  readonly certificate?: string | undefined;
  /** Private key of the client certificate, in PEM format. */
  readonly key?: string | undefined;
  readonly token?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

/** Options for a webhook call: body, deadline, user agent and credentials. */
export interface WebhookCallOptions {
  readonly body: string;
  readonly timeoutMs: number;
  readonly userAgent: string;
  /** Returns the credentials for the webhook at a `host:port`. Default: none. */
  readonly userOf?: ((hostPort: string) => WebhookUser | undefined) | undefined;
  /** Aborts when the response is no longer needed. */
  readonly signal?: AbortSignal | undefined;
}

type SendOptions = WebhookCallOptions & { readonly user: WebhookUser | undefined };

/** A webhook's response, whose body has not been read yet. */
interface WebhookResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Calls webhooks over HTTPS. Connections are kept open for a while. @see apiserver pkg/util/webhook ClientManager */
export class WebhookClients implements Disposable {
  /** Source of the UIDs of reviews. */
  readonly random: Random;
  readonly #options: WebhookClientsOptions;
  readonly #agents = new Map<string, Agent>();

  constructor(options: WebhookClientsOptions) {
    this.random = options.random ?? systemRandom;
    this.#options = options;
  }

  /**
   * Posts a review and returns the object in the response.
   *
   * @throws {WebhookCallError} if the webhook does not respond in time, or the response is not an object
   */
  async call(
    config: DeepReadonly<WebhookClientConfig>,
    options: WebhookCallOptions,
  ): Promise<Readonly<Record<string, unknown>>> {
    let destination: Destination;
    try {
      destination = destinationOf(config, this.#options.resolveService);
    } catch (error) {
      throw new WebhookCallError(error instanceof Error ? error.message : String(error));
    }
    const answer = await this.#post(destination, config.caBundle ?? "", options);
    try {
      refuseTooManyValues(answer.text, options.body);
      if (answer.code < 200 || answer.code > 206) throw new Error(failureText(answer));
      return objectIn(answer);
    } catch (error) {
      throw new WebhookCallError(error instanceof Error ? error.message : String(error));
    }
  }

  /** Closes idle connections. Further calls are still possible. */
  close(): void {
    for (const agent of this.#agents.values()) void agent.destroy();
    this.#agents.clear();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  async #post(destination: Destination, caBundle: string, options: WebhookCallOptions): Promise<TextResponse> {
    const query = `timeout=${Math.max(1, Math.ceil(options.timeoutMs / 1_000))}s`;
    const late = new AbortController();
    const timer = this.#options.clock.after(options.timeoutMs, () => late.abort());
    const signal = options.signal ? AbortSignal.any([late.signal, options.signal]) : late.signal;
    let message = `Post "${printedUrl(destination, query)}"`;
    let hasResponded = false;
    try {
      const url = new URL(destination.url);
      url.search = query;
      const user = options.userOf?.(hostPortOf(destination));
      const handle = this.#options.inProcess?.(url.host);
      const response = handle
        ? await sendInProcess(handle, url, { ...options, signal, user })
        : await this.#sendFrom(destination, caBundle, url, { ...options, signal, user }, (next) => {
            message = `Post "${next}"`;
          });
      hasResponded = true;
      const text = await boundedText(response.body, maxBytesFor(options.body));
      return { code: response.statusCode, contentType: String(response.headers["content-type"] ?? ""), text };
    } catch (error) {
      if (error instanceof WebhookCallError) throw error;
      if (error instanceof ResponseTooLarge) throw new WebhookCallError(`${message}: ${error.message}`);
      if (late.signal.aborted) throw new WebhookCallError(`${message}: context deadline exceeded`);
      if (signal.aborted) throw new WebhookCallError(`${message}: context canceled`);
      if (hasResponded)
        throw new WebhookCallError(
          "unexpected error when reading response body. Please retry. Original error: unexpected EOF",
        );
      throw new WebhookCallError(`${message}: ${transportErrorText(error)}`, { cause: error });
    } finally {
      timer.cancel();
    }
  }

  async #sendFrom(
    destination: Destination,
    caBundle: string,
    url: URL,
    options: SendOptions,
    redirected: (url: string) => void,
  ): Promise<WebhookResponse> {
    const undici = await import("undici");
    const agent = this.#agentOf(undici, destination, caBundle, options.user);
    return this.#send(undici, url, agent, options, redirected);
  }

  /** Sends a request and follows redirects as Go does: with the same request for 307 and 308, and with a GET for all others. */
  async #send(
    { request }: Undici,
    start: URL,
    dispatcher: Agent,
    { body, userAgent, signal, user }: SendOptions,
    redirected: (url: string) => void,
  ): Promise<WebhookResponse> {
    const headers = headersOf(userAgent);
    const authorization = authorizationOf(user);
    let [url, method]: [URL, "POST" | "GET"] = [start, "POST"];
    for (let hops = 0; ; hops++) {
      const response = await request(url, {
        method,
        headers: authorization !== undefined && url.origin === start.origin ? { ...headers, authorization } : headers,
        ...(method === "POST" ? { body } : {}),
        dispatcher,
        ...(signal ? { signal } : {}),
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      const { location } = response.headers;
      if (!redirects.has(response.statusCode) || typeof location !== "string") return response;
      await response.body.dump();
      if (hops + 1 >= maxRedirects)
        throw new WebhookCallError(`Post "${location}": stopped after ${maxRedirects} redirects`);
      url = new URL(location, url);
      redirected(url.href);
      if (response.statusCode < 307) method = "GET";
    }
  }

  #agentOf(undici: Undici, destination: Destination, caBundle: string, user: WebhookUser | undefined): Agent {
    const at = `${destination.resolve ? destination.url.host : ""} ${destination.serverName}`;
    const key = `${at} ${caBundle} ${user?.certificate ?? ""} ${user?.key ?? ""}`;
    const known = this.#agents.get(key);
    if (known) return known;
    const agent = new undici.Agent({
      allowH2,
      connections: maxConnections,
      keepAliveTimeout: idleMs,
      connect: connectorFor(undici, destination, caBundle, user),
    });
    this.#agents.set(key, agent);
    const [oldest] = this.#agents.keys();
    if (this.#agents.size > maxAgents && oldest !== undefined) {
      void this.#agents.get(oldest)?.close();
      this.#agents.delete(oldest);
    }
    return agent;
  }
}

/** @throws {Error} if a response has too many values to be parsed */
function refuseTooManyValues(response: string, review: string): void {
  if (countSeparators(response, maxValues) <= maxValues) return;
  const most = maxValuesFor(review);
  if (countSeparators(response, most) > most) throw new Error(`the response contains more than ${most} values`);
}

const headersOf = (userAgent: string): Record<string, string> => ({
  "user-agent": userAgent,
  accept: "application/json, */*",
  "content-type": "application/json",
});

/** Calls a webhook in this process. Redirects are not followed, because such webhooks send none. */
async function sendInProcess(
  handle: InProcessHandle,
  { pathname, search }: URL,
  { body, userAgent, signal, user }: SendOptions,
): Promise<WebhookResponse> {
  const authorization = authorizationOf(user);
  const response = await handle({
    method: "POST",
    path: `${pathname}${search}`,
    headers: { ...headersOf(userAgent), ...(authorization === undefined ? {} : { authorization }) },
    body: Buffer.from(body),
    signal,
  });
  return { ...response, statusCode: response.status };
}

function connectorFor(
  undici: Undici,
  { serverName, resolve }: Destination,
  caBundle: string,
  user: WebhookUser | undefined,
): buildConnector.connector {
  const build = undici.buildConnector({
    allowH2,
    allowPartialTrustChain: true,
    ...(caBundle === "" ? {} : { ca: Buffer.from(caBundle, "base64").toString("utf8") }),
    ...(user?.certificate && user.key ? { cert: user.certificate, key: user.key } : {}),
  });
  const connect: buildConnector.connector = (options, callback) => describePeerSafely(build(options, callback));
  if (!resolve) return connect;
  return (options, callback) => {
    resolve().then(
      ({ host, port }) =>
        connect({ ...options, host, hostname: host, port: String(port), servername: serverName }, callback),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    );
  };
}

/** Returns the value of the `Authorization` header for credentials other than a certificate. */
function authorizationOf({ token, username, password = "" }: WebhookUser = {}): string | undefined {
  if (token) return `Bearer ${token}`;
  return username ? `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` : undefined;
}
