import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { StatusError } from "@kubewright/apimachinery";
import { type Clock, systemClock } from "@kubewright/clock";
import { type Logger, safeLogger, silentLogger } from "@kubewright/log";
import type { ConnectionSettings } from "../settings/connection-settings.ts";
import { type CredentialSource, credentialsFrom, orAborted } from "../settings/credentials.ts";
import {
  type DefaultSettingsOptions,
  defaultSettings,
  inClusterSettings,
  settingsFromKubeConfig,
} from "../settings/kubeconfig.ts";
import { ConnectionError, isConnectionError } from "./connection-error.ts";
import { ConnectionPools } from "./connection-pools.ts";
import type { ConnectionRequest, ConnectionResponse } from "./connection-request.ts";
import type { StreamedResponse } from "./exchange.ts";
import { requestHeaders } from "./request-headers.ts";
import { noAnswer, type ObservedRequest, observedExchange, type RequestObserver } from "./request-observer.ts";
import { type Retries, retriesOf } from "./retries.ts";
import { statusErrorFrom } from "./status-from-response.ts";
import { isBareRefusal, schemeFailure, schemeRefusal } from "./wrong-scheme.ts";

/** Options of a {@link Connection}. @see client-go rest Config */
export interface ConnectionOptions {
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Logger for retried requests, at level debug. Default: silent. */
  readonly logger?: Logger | undefined;
  /** Timeout for establishing a connection, in milliseconds. Default 10,000. */
  readonly connectTimeoutMs?: number | undefined;
  /**
   * Interval at which a silent HTTP/2 connection is pinged, in milliseconds; it is dropped after three unanswered pings. 0 disables pings.
   * Default 30,000.
   */
  readonly pingIntervalMs?: number | undefined;
  /** Uses HTTP/2 if the server offers it. Default true. */
  readonly http2?: boolean | undefined;
}

/** Target of requests, and the means to reach it. */
interface Way {
  readonly settings: ConnectionSettings;
  readonly base: URL;
  /** The server's own path, which precedes the path of each request; without a trailing slash. */
  readonly pathPrefix: string;
  readonly credentials: CredentialSource;
  readonly pools: ConnectionPools;
}

/** Maximum number of characters of a server's response in a message. */
const longestShown = 500;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const unzip = promisify(gunzip);
/** Disables compression for streams, which are read as they arrive; servers do not compress them unless requested. */
const uncompressed = { "accept-encoding": "identity" };

/**
 * The connection to one API server: settings, credentials and one pool of connections that all requests and watches share. Nothing is
 * opened before the first request.
 *
 * Refusals (429, and 5xx with `Retry-After`) are retried up to ten times after the time that the server sets, and so are reads whose
 * connection broke. Other responses and errors are returned or thrown at once.
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
   * @param settings settings, or a function that finds them; the function is called at the first request or first access to
   * {@link settings}, and its error is thrown then
   * @throws {Error} if `settings.server` is not an http or https URL
   */
  constructor(settings: ConnectionSettings | (() => ConnectionSettings), options: ConnectionOptions = {}) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#logger = safeLogger(options.logger ?? silentLogger);
    this.#find = typeof settings === "function" ? settings : () => settings;
    if (typeof settings !== "function") this.#found = this.#wayBy(settings);
  }

  /** The settings of this connection. @throws {KubeConfigError} as in {@link fromDefault}, if they are determined only now */
  get settings(): ConnectionSettings {
    return this.#way.settings;
  }

  /**
   * Connects to the cluster that kubectl would use: from the given kubeconfig, otherwise from `KUBECONFIG`, otherwise the cluster this pod
   * runs in, otherwise from `~/.kube/config`.
   *
   * @param options with `lazy`, the settings are determined at the first request, which then throws any error. Default false.
   * @throws {KubeConfigError} with the file and the invalid field, or with every location that was searched in vain
   * @see controller-runtime pkg/client/config GetConfig
   */
  static fromDefault(
    options: ConnectionOptions & DefaultSettingsOptions & { readonly lazy?: boolean | undefined } = {},
  ): Connection {
    const find = (): ConnectionSettings => defaultSettings(options);
    return new Connection(options.lazy ? find : find(), options);
  }

  /**
   * Connects to the cluster of a kubeconfig, given by its path or by its text (recognised by its newlines).
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
   * Connects to the cluster of the pod that this program runs in, as the pod's service account.
   *
   * @throws {KubeConfigError} if the program does not run in a pod
   * @see client-go rest.InClusterConfig
   */
  static fromInCluster(options: ConnectionOptions = {}): Connection {
    return new Connection(inClusterSettings(), options);
  }

  /**
   * Makes one request; resolves for any status of the response.
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
        if (await retries.afterStatus({ ...response, body }, request)) continue;
        if (response.status === 403) this.#tellForbidden(request, statusErrorFrom({ ...response, body }, request));
        return { ...response, body };
      } catch (error) {
        if (!isConnectionError(error) || !(await retries.afterError(error, request))) throw error;
      }
    }
  }

  /**
   * Makes one request whose response is read as it arrives, for watches and logs. The body has no time limit.
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
      if (await retries.afterStatus({ ...response, body }, request)) continue;
      const error = statusErrorFrom({ ...response, body }, request);
      if (response.status === 403) this.#tellForbidden(request, error);
      throw error;
    }
  }

  /** Notifies an observer of all further requests. @returns a function that stops the notifications */
  observe(observer: RequestObserver): () => void {
    this.#observers.add(observer);
    return () => void this.#observers.delete(observer);
  }

  /** Ends all connections, including those being established: requests and watches in progress fail. A second call has no effect. */
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
    if (this.#closing.signal.aborted) void pools.close(); // before anything is opened, so that nothing will be
    const pathPrefix = base.pathname.replace(/\/+$/, "");
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
      const refusal = isBareRefusal(base, response) ? await schemeRefusal(base) : redirection(response);
      if (!refusal && (response.status !== 401 || !again || !credentials.renew(identity))) return response;
      response.cancel();
      if (refusal) throw refusal;
    } catch (error) {
      throw this.#failure(request, signal?.aborted ? error : await schemeFailure(base, error));
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

  /** Notifies observers of each retried request. */
  #retries(request: ConnectionRequest): Retries {
    const retries = retriesOf(this.#clock, this.#logger);
    const tell = (isRetried: boolean, code: string): boolean => {
      if (isRetried) for (const observer of this.#observers) observer.retried?.({ ...this.#observed(request), code });
      return isRetried;
    };
    return {
      afterStatus: async (response, of) => tell(await retries.afterStatus(response, of), String(response.status)),
      afterError: async (error, of) => tell(await retries.afterError(error, of), noAnswer),
    };
  }

  #tellForbidden(request: ConnectionRequest, { message: said }: StatusError): void {
    const refused = { ...this.#observed(request), path: this.#path(request), said };
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

/** Returns the error for a redirect. Redirects are not followed, because credentials are for this server only. */
function redirection({ status, headers }: StreamedResponse): Error | undefined {
  if (!redirects.has(status)) return undefined;
  const to = headers.location === undefined ? "" : ` to "${String(headers.location).slice(0, longestShown)}"`;
  return new Error(
    `the server redirects${to} (status ${status}), and redirects are not followed; set the server to the address of the API server itself`,
  );
}

/** @throws {Error} if an intermediary compresses a streamed response */
function refuseCompressed({ what = "stream" }: ConnectionRequest, { headers, cancel }: StreamedResponse): void {
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding === "identity") return;
  cancel();
  throw new Error(
    `${what}: the response is compressed (content-encoding: ${String(encoding)}) although "identity" was requested`,
  );
}
