import { lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { arch, platform } from "node:process";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { isStatusError, type StatusError } from "@kubewright/apimachinery";
import { type Clock, systemClock } from "@kubewright/clock";
import { type Logger, safeLogger, silentLogger } from "@kubewright/log";
import type { ConnectionSettings } from "../settings/connection-settings.ts";
import { type CredentialSource, credentialsFrom, type Identity, orAborted } from "../settings/credentials.ts";
import {
  type DefaultSettingsOptions,
  defaultSettings,
  inClusterSettings,
  settingsFromKubeConfig,
} from "../settings/kubeconfig.ts";
import { ConnectionError, isBareRefusal, isConnectionError, schemeFailure, schemeRefusal } from "./connection-error.ts";
import {
  noResponse,
  type ObservedRequest,
  observedExchange,
  type RequestObserver,
  type StreamedResponse,
} from "./exchange.ts";
import { InProcessDispatcher, type RequestDispatcher } from "./in-process-dispatcher.ts";
import { statusErrorFrom } from "./response.ts";

/** One request to an API server. */
export interface ConnectionRequest {
  /** HTTP method. Default `GET`. */
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | undefined;
  /** Path relative to the server's own path, such as `/api/v1/pods`. */
  readonly path: string;
  /** Query parameters. An array is sent as one parameter per value. `undefined` is omitted. */
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>> | undefined;
  /** Additional headers. They override default headers, such as `accept` and credentials. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array | undefined;
  /** Signal that cancels the request. The request then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Signal that stops retries. A request that is waiting for a retry then returns the result of its last attempt. */
  readonly retryUntil?: AbortSignal | undefined;
  /** Called before waiting for a retry, with the last attempt's error. */
  readonly onRetry?: ((error: StatusError | ConnectionError) => void) | undefined;
  /** Description of the attempted call for error messages, such as `get Pod web/shop-0`. */
  readonly what?: string | undefined;
  /**
   * Called synchronously right before each attempt is written to its socket. If it throws, the attempt is not made. Such requests use
   * HTTP/1.1: with HTTP/2, they would be sent only at the end of the event loop turn.
   */
  readonly beforeSending?: (() => void) | undefined;
}

/** A response whose body has been received completely. */
export interface ConnectionResponse {
  readonly status: number;
  /** Headers, keyed by lower-case name. */
  /** Headers, keyed by lower-case name. */
  readonly headers: StreamedResponse["headers"];
  /** The whole body, decompressed. */
  readonly body: Buffer;
}

/** Options for a {@link Connection}. @see client-go rest Config */
export interface ConnectionOptions {
  /** Clock. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Logger for retries, at debug level. Default: silent. */
  readonly logger?: Logger | undefined;
  /** Timeout for establishing a connection, in milliseconds. Default 10,000. */
  readonly connectTimeoutMs?: number | undefined;
  /**
   * Interval in milliseconds between pings on an idle HTTP/2 connection. The connection is dropped after three unanswered pings. 0 disables
   * pings. Default 30,000.
   */
  readonly pingIntervalMs?: number | false | undefined;
  /** True to use HTTP/2 if the server supports it. Default true. */
  readonly http2?: boolean | undefined;
}

/** Server, credentials and connection pools for requests. */
interface Way {
  readonly settings: ConnectionSettings;
  readonly base: URL;
  /** The server's own path, which precedes each request's path. No trailing slash. */
  readonly pathPrefix: string;
  readonly credentials: CredentialSource;
  readonly pools: ConnectionPools;
}

/** Maximum number of characters of a server's response in a message. */
const longestShown = 500;
/** Maximum length of a path with its query. HTTP/2 sends at most 64 KiB of headers, which include the path and the credentials. */
const maxPathLength = 60_000;
const longestPathShown = 200;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const unzip = promisify(gunzip);
/** Disables compression for streams: they are read as they arrive, and servers compress only on request. */
const uncompressed = { "accept-encoding": "identity" };

/**
 * A connection to one API server: its settings, its credentials and one connection pool that is shared by all requests
 * and watches. Opens no socket before the first request.
 *
 * Requests that the server rejects temporarily (429, and 5xx with `Retry-After`) are retried up to ten times, after the delay that the
 * server specifies. Reads whose connection broke are also retried. Other responses and errors are returned or thrown immediately.
 *
 * @see client-go rest.Config, rest.Request
 */
export class Connection {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #options: ConnectionOptions;
  readonly #observers = new Set<RequestObserver>();
  readonly #find: () => ConnectionSettings;
  #found: Way | undefined;
  readonly #closing = new AbortController();

  /**
   * @param settings settings, or a function that returns them. The function is called on the first request or the first access to {@link
   *   settings}, which then throws its error.
   * @throws {Error} if `settings.server` is not an http or https URL
   */
  constructor(settings: ConnectionSettings | (() => ConnectionSettings), options: ConnectionOptions = {}) {
    const { pingIntervalMs } = options;
    if (pingIntervalMs !== undefined && pingIntervalMs !== false && !(pingIntervalMs > 0))
      throw new RangeError(`pingIntervalMs must be positive, got ${pingIntervalMs}; use false for no pings`);
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#logger = safeLogger(options.logger ?? silentLogger);
    this.#find = typeof settings === "function" ? settings : () => settings;
    if (typeof settings !== "function") this.#found = this.#wayBy(settings);
  }

  /**
   * The connection's settings. @throws {KubeConfigError} in the same cases as {@link fromDefault}, if this access
   * determines the settings
   */
  get settings(): ConnectionSettings {
    return this.#way.settings;
  }

  /**
   * Connects to the cluster that kubectl would use. The first available source is used: the given kubeconfig, `KUBECONFIG`, the cluster of
   * this pod, `~/.kube/config`.
   *
   * @param options with `lazy`, the settings are determined at the first request, which then throws any error. Default false.
   * @throws {KubeConfigError} with the file and the invalid field, or with all searched locations
   * @see controller-runtime pkg/client/config GetConfig
   */
  static fromDefault(
    options: ConnectionOptions & DefaultSettingsOptions & { readonly lazy?: boolean | undefined } = {},
  ): Connection {
    const find = (): ConnectionSettings => defaultSettings(options);
    return new Connection(options.lazy ? find : find(), options);
  }

  /**
   * Connects to the cluster of a kubeconfig. The argument is a path, or the kubeconfig's text (recognized by its newlines).
   *
   * @throws {KubeConfigError} with the file and the invalid field
   */
  static fromKubeConfig(
    pathOrText: string,
    options: ConnectionOptions & { readonly context?: string | undefined } = {},
  ): Connection {
    return new Connection(settingsFromKubeConfig(pathOrText, options), options);
  }

  /**
   * Connects to the cluster of the pod in which this program runs, as the pod's service account.
   *
   * @throws {KubeConfigError} if the program does not run in a pod
   * @see client-go rest.InClusterConfig
   */
  static fromInCluster(options: ConnectionOptions = {}): Connection {
    return new Connection(inClusterSettings(), options);
  }

  /**
   * Sends one request and returns its response, even if its status is an error.
   *
   * @throws {ConnectionError} if no response arrived
   * @throws the signal's reason if it aborts
   */
  async request(request: ConnectionRequest): Promise<ConnectionResponse> {
    const retries = this.#retries(request);
    for (;;) {
      try {
        const response = await this.#open(request, false);
        const body = await this.#collect(request, response);
        if (await retries.afterStatus({ ...response, body })) continue;
        if (response.status === 403) this.#reportForbidden(request, statusErrorFrom({ ...response, body }, request));
        return { ...response, body };
      } catch (error) {
        if (!isConnectionError(error) || !(await retries.afterError(error))) throw error;
      }
    }
  }

  /**
   * Sends one request and returns a response that is read as it arrives, for watches and logs. The body has no time limit.
   *
   * @throws {StatusError} if the response is an error
   * @throws {ConnectionError} if no response arrived
   * @throws the signal's reason if it aborts
   */
  async stream(request: ConnectionRequest): Promise<StreamedResponse> {
    const retries = this.#retries(request);
    for (;;) {
      const response = await this.#open(request, true);
      if (response.status < 400) {
        refuseCompressed(request, response);
        return { ...response, chunks: this.#named(request, response) };
      }
      const body = await this.#collect(request, response);
      if (await retries.afterStatus({ ...response, body })) continue;
      const error = statusErrorFrom({ ...response, body }, request);
      if (response.status === 403) this.#reportForbidden(request, error);
      throw error;
    }
  }

  /** Notifies an observer of all further requests. @returns a function that stops the notifications */
  observe(observer: RequestObserver): () => void {
    this.#observers.add(observer);
    return () => void this.#observers.delete(observer);
  }

  /** Ends all connections, including those being established. Requests and watches in progress fail. A second call has no effect. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#found?.pools.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  get #way(): Way {
    this.#found ??= this.#wayBy(this.#find());
    return this.#found;
  }

  #wayBy(settings: ConnectionSettings): Way {
    const { connectTimeoutMs, pingIntervalMs, http2 } = this.#options;
    const base = serverUrl(settings.server);
    const pools = new ConnectionPools({
      settings,
      clock: this.#clock,
      logger: this.#logger,
      connectTimeoutMs,
      pingIntervalMs,
      http2,
      observers: this.#observers,
    });
    if (this.#closing.signal.aborted) void pools.close(); // closed before use, so that nothing is opened
    const pathPrefix = base.pathname.replace(/(?<!\/)\/+$/, "");
    const { signal: closing } = this.#closing;
    const credentials = credentialsFrom(settings, { clock: this.#clock, logger: this.#logger, closing });
    return { settings, base, pathPrefix, pools, credentials };
  }

  async #open(request: ConnectionRequest, endless: boolean, again = true): Promise<StreamedResponse> {
    const { signal, beforeSending } = request;
    signal?.throwIfAborted();
    const { settings, base, credentials, pools } = this.#way;
    const method = request.method ?? "GET";
    const path = this.#path(request);
    refuseTooLong(request, path);
    try {
      const current = credentials.current();
      const identity = current instanceof Promise ? await orAborted(current, signal) : current;
      const pool = await pools.for(identity, beforeSending ? "direct" : "shared");
      const response = await observedExchange(this.#observers, this.#clock, pool, {
        origin: base.origin,
        path,
        method,
        headers: { ...requestHeaders(settings, identity), ...(endless && uncompressed), ...request.headers },
        body: request.body,
        signal,
        endless,
        beforeSending,
      });
      const isForeign = !settings.handle && isBareRefusal(base, response);
      const refusal = isForeign ? await schemeRefusal(base) : redirection(response);
      if (!refusal && (response.status !== 401 || !again || !credentials.renew(identity))) return response;
      response.cancel();
      if (refusal) throw refusal;
    } catch (error) {
      throw this.#failure(request, signal?.aborted || settings.handle ? error : await schemeFailure(base, error));
    }
    return this.#open(request, endless, false);
  }

  async #collect(request: ConnectionRequest, response: StreamedResponse): Promise<Buffer> {
    try {
      const body = await response.whole();
      for (const observer of this.#observers)
        observer.received?.({ ...this.#observed(request), bytes: body.byteLength });
      return response.headers["content-encoding"] === "gzip" ? await unzip(body) : body;
    } catch (error) {
      throw this.#failure(request, error);
    }
  }

  #retries(request: ConnectionRequest): Retries {
    return new Retries(request, this.#clock, this.#logger, (code) => {
      for (const observer of this.#observers) observer.retried?.({ ...this.#observed(request), code });
    });
  }

  #reportForbidden(request: ConnectionRequest, { message }: StatusError): void {
    const refused = { ...this.#observed(request), path: this.#path(request), message };
    for (const observer of this.#observers) observer.forbidden?.(refused);
  }

  #observed({ method = "GET" }: ConnectionRequest): ObservedRequest {
    return { method, host: this.#way.base.host };
  }

  async *#named(request: ConnectionRequest, response: StreamedResponse): AsyncGenerator<Buffer, void, undefined> {
    try {
      yield* response.chunks;
    } catch (error) {
      throw this.#failure(request, error);
    }
  }

  #failure(request: ConnectionRequest, error: unknown): unknown {
    if (request.signal?.aborted) return request.signal.reason;
    const url = `${this.#way.base.origin}${this.#path({ path: request.path })}`;
    return new ConnectionError({ method: request.method ?? "GET", url, what: request.what }, error);
  }

  #path({ path, query }: Pick<ConnectionRequest, "path" | "query">): string {
    const plain = this.#way.pathPrefix + path;
    let search: URLSearchParams | undefined;
    for (const [name, value] of Object.entries(query ?? {})) {
      if (value === undefined) continue;
      search ??= new URLSearchParams();
      if (Array.isArray(value)) for (const one of value) search.append(name, one);
      else search.set(name, String(value));
    }
    return search && search.size > 0 ? `${plain}?${search}` : plain;
  }
}

function serverUrl(server: string): URL {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url?.protocol !== "https:" && url?.protocol !== "http:")
    throw new Error(`"${server}" is not a valid API server address; use https://host:port`);
  return url;
}

/**
 * Rejects a URL that HTTP/2 cannot send. A name or selector from someone else's object may have any length, and
 * attempts to send it would be retried for seconds and make the server close the connection for other callers as well.
 *
 * @throws {Error} if the path with its query is too long
 */
function refuseTooLong({ what = "request" }: ConnectionRequest, path: string): void {
  if (path.length <= maxPathLength) return;
  const shown = `${path.slice(0, longestPathShown)}…`;
  throw new Error(
    `${what}: the URL ${JSON.stringify(shown)} is ${path.length} characters long; the maximum is ${maxPathLength}`,
  );
}

/** Returns the error for a redirect. Redirects are not followed, because the credentials are intended only for this server. */
function redirection({ status, headers }: StreamedResponse): Error | undefined {
  if (!redirects.has(status)) return undefined;
  const to = headers.location === undefined ? "" : ` to "${String(headers.location).slice(0, longestShown)}"`;
  return new Error(
    `the server redirects${to} (status ${status}), and redirects are not followed; set the server to the address of the API server itself`,
  );
}

/** Rejects streamed responses that are compressed. @throws {Error} if an intermediary compressed the response */
function refuseCompressed({ what = "stream" }: ConnectionRequest, { headers, cancel }: StreamedResponse): void {
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding === "identity") return;
  cancel();
  throw new Error(
    `${what}: the response is compressed (content-encoding: ${String(encoding)}) although "identity" was requested`,
  );
}

/** Maximum number of retries of one request. */
const maxRetries = 10;
/** Delay if the server does not specify one. */
const defaultWaitMs = 1_000;
/** Delay above which a wait is logged as a warning. */
const longWaitMs = 60_000;

/** Error codes for a connection that broke during a request because the server restarted or a proxy dropped it. */
const brokenConnection = new Set([
  "ECONNRESET",
  "EPIPE",
  "UND_ERR_SOCKET",
  "UND_ERR_INFO",
  "ERR_HTTP2_STREAM_ERROR",
  "ERR_HTTP2_SESSION_ERROR",
]);

/**
 * Decides whether and when to retry one request.
 *
 * @see client-go rest withRetry
 */
class Retries {
  readonly #request: ConnectionRequest;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #retried: (code: string) => void;
  #count = 0;

  /** @param retried called before each retry, with the status or {@link noResponse} */
  constructor(request: ConnectionRequest, clock: Clock, logger: Logger, retried: (code: string) => void) {
    this.#request = request;
    this.#clock = clock;
    this.#logger = logger;
    this.#retried = retried;
  }

  /** If this response requires a retry, waits for its delay and returns true. */
  async afterStatus(response: ConnectionResponse): Promise<boolean> {
    const { status, headers } = response;
    if (status !== 429 && status < 500) return false;
    const seconds = Number(headers["retry-after"]);
    if (headers["retry-after"] === undefined || !Number.isInteger(seconds) || seconds < 0) return false;
    return this.#wait(seconds * 1_000, statusErrorFrom(response, this.#request), String(status));
  }

  /**
   * If a broken connection requires a retry, waits for its delay and returns true. Only reads are retried, because the server may have
   * processed a write.
   */
  async afterError(error: ConnectionError): Promise<boolean> {
    const repeatable = (this.#request.method ?? "GET") === "GET" && isBrokenConnection(error.cause);
    return repeatable && this.#wait(defaultWaitMs, error, noResponse);
  }

  async #wait(ms: number, err: StatusError | ConnectionError, code: string): Promise<boolean> {
    const { path, signal, retryUntil, onRetry } = this.#request;
    if (this.#count >= maxRetries || retryUntil?.aborted) return false;
    this.#count++;
    const why = isStatusError(err) ? { status: err.code, reason: err.message } : { err };
    const level = ms > longWaitMs ? "warn" : "debug";
    this.#logger[level]({ ...why, path, retryAfterMs: ms, retries: this.#count }, "retrying the request");
    onRetry?.(err);
    await sleepUntilEither(this.#clock, ms, [signal, retryUntil]);
    signal?.throwIfAborted();
    if (retryUntil?.aborted) return false;
    this.#retried(code);
    return true;
  }
}

/**
 * Sleeps until a signal aborts. Listens to the signals directly: an `AbortSignal.any` of signals that live as long as the process is freed
 * late.
 */
async function sleepUntilEither(
  clock: Clock,
  ms: number,
  signals: readonly (AbortSignal | undefined)[],
): Promise<void> {
  const wake = new AbortController();
  const onAbort = (): void => wake.abort();
  for (const signal of signals) {
    if (signal?.aborted) wake.abort();
    signal?.addEventListener("abort", onAbort, { once: true });
  }
  await clock.sleep(ms, wake.signal);
  for (const signal of signals) signal?.removeEventListener("abort", onAbort);
}

const isBrokenConnection = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && brokenConnection.has(String(cause.code));

/** Default user agent. */
const userAgent = `kubewright/0.1.0 (${platform}/${arch})`;

/** Returns the headers that every request has: accepted types, user agent, credentials and impersonation. */
function requestHeaders(
  { userAgent: own, impersonate }: ConnectionSettings,
  identity: Identity,
): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {
    accept: "application/json",
    "accept-encoding": "gzip",
    "user-agent": own ?? userAgent,
    ...identity.headers,
  };
  if (!impersonate) return headers;
  headers["impersonate-user"] = impersonate.user;
  if (impersonate.uid) headers["impersonate-uid"] = impersonate.uid;
  if (impersonate.groups?.length) headers["impersonate-group"] = [...impersonate.groups];
  for (const [key, values] of Object.entries(impersonate.extra ?? {}))
    headers[`impersonate-extra-${encodeURIComponent(key).toLowerCase()}`] = [...values];
  return headers;
}

interface ConnectionPoolsOptions {
  readonly settings: ConnectionSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Timeout for establishing a connection, in milliseconds. Default 10,000. */
  readonly connectTimeoutMs: number | undefined;
  /** Interval between pings, in milliseconds. Default 30,000; 0 disables pings. */
  readonly pingIntervalMs: number | false | undefined;
  /** True to use HTTP/2 if the server supports it. Applies only to the shared pool. Default true. */
  readonly http2: boolean | undefined;
  /** Observers of name lookups. */
  readonly observers: ReadonlySet<RequestObserver>;
}

/** Type of a pool. `direct` means HTTP/1.1, where a request is written to its socket synchronously. */
type PoolUse = "shared" | "direct";

/** Maximum number of direct connections. A kube-apiserver allows as many streams on one HTTP/2 connection. */
const maxDirect = 100;

/** Time limit for requests of a previous identity. */
const formerIdentityMs = 30_000;

/** Pools of one identity, each created on first use. */
interface Pools extends Partial<Record<PoolUse, Promise<RequestDispatcher>>> {
  readonly identity: Identity;
  /** Ends all connections, including those being established, which destroying a dispatcher would not end. */
  readonly sockets: AbortController;
}

/** Connection pools for one API server. A previous identity's pools are closed once their requests have ended. */
class ConnectionPools {
  readonly #options: ConnectionPoolsOptions;
  #present: Pools | undefined;
  /** Pools of previous identities that still have requests in progress. */
  readonly #former = new Set<Pools>();
  #closed = false;

  constructor(options: ConnectionPoolsOptions) {
    this.#options = options;
  }

  /** Returns the pool for an identity and use. @throws {Error} if the pools are closed */
  for(identity: Identity, use: PoolUse): Promise<RequestDispatcher> {
    if (this.#closed) throw new Error("the connection is closed");
    const pools = this.#poolsOf(identity);
    pools[use] ??= this.#open(pools, use);
    return pools[use];
  }

  /**
   * Opens a pool. undici is loaded only when the first pool is opened; otherwise, it would account for a third of a client's import time.
   */
  async #open({ identity, sockets }: Pools, use: PoolUse): Promise<RequestDispatcher> {
    const { handle } = this.#options.settings;
    if (handle) return new InProcessDispatcher(handle, this.#options.clock);
    const { settings, clock, connectTimeoutMs = 10_000, pingIntervalMs = 30_000, http2 = true } = this.#options;
    const { createDispatcher } = await import("./dispatcher.ts");
    return createDispatcher(settings, identity, {
      clock,
      connectTimeoutMs,
      pingIntervalMs,
      lookup: timedLookup(this.#options.observers, clock),
      ...(use === "shared" ? { http2 } : { http2: false, maxConnections: maxDirect }),
      closing: sockets.signal,
    });
  }

  /** Ends all connections, including those being established. A second call has no effect. */
  async close(): Promise<void> {
    this.#closed = true;
    const present = this.#present;
    this.#present = undefined;
    const dispatchers = await Promise.all(opened(present));
    const destroyed = dispatchers.map((dispatcher) => dispatcher.destroy());
    for (const pools of present ? [present, ...this.#former] : this.#former) pools.sockets.abort();
    await Promise.all(destroyed);
  }

  #poolsOf(identity: Identity): Pools {
    const present = this.#present;
    if (present && present.identity.certData === identity.certData && present.identity.keyData === identity.keyData)
      return present;
    this.#present = { identity, sockets: new AbortController() };
    if (present) this.#retire(present);
    return this.#present;
  }

  /**
   * Closes a previous identity's pools. Requests in progress with the previous certificate may finish. A watch would not end by itself, so
   * it is terminated, and its owner opens a new one.
   */
  #retire(former: Pools): void {
    const { clock, logger } = this.#options;
    this.#former.add(former);
    const timer = clock.after(formerIdentityMs, () => former.sockets.abort(), { unref: true });
    Promise.all(opened(former).map(async (dispatcher) => (await dispatcher).close()))
      .catch((err: unknown) => logger.debug({ err }, "failed to close connections"))
      .finally(() => {
        timer.cancel();
        this.#former.delete(former);
      });
  }
}

const opened = (pools: Pools | undefined): Promise<RequestDispatcher>[] =>
  [pools?.shared, pools?.direct].filter((pool) => pool !== undefined);

/** Returns a function that looks up names like Node's default and reports the duration to observers. IP addresses are not looked up. */
function timedLookup(observers: ReadonlySet<RequestObserver>, clock: Clock): LookupFunction {
  return (host, options, done) => {
    const began = clock.monotonic();
    lookup(host, options, (...outcome) => {
      const durationMs = clock.monotonic() - began;
      for (const observer of observers) observer.resolved?.({ host, durationMs });
      done(...outcome);
    });
  };
}
