import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { StatusError } from "@kubewright/apimachinery";
import { type Clock, systemClock } from "@kubewright/clock";
import { type Logger, safeLogger, silentLogger } from "@kubewright/log";
import type { ConnectionSettings } from "../settings/connection-settings.ts";
import { type CredentialSource, orAborted } from "../settings/credential-source.ts";
import { credentialsFrom } from "../settings/credentials.ts";
import { inClusterSettings } from "../settings/in-cluster.ts";
import { type DefaultSettingsOptions, defaultSettings, settingsFromKubeConfig } from "../settings/kubeconfig.ts";
import { ConnectionError, isConnectionError } from "./connection-error.ts";
import { ConnectionPools } from "./connection-pools.ts";
import type { ConnectionRequest, ConnectionResponse } from "./connection-request.ts";
import type { StreamedResponse } from "./exchange.ts";
import { requestHeaders } from "./request-headers.ts";
import { noAnswer, type ObservedRequest, observedExchange, type RequestObserver } from "./request-observer.ts";
import { type Retries, retriesOf } from "./retries.ts";
import { statusErrorFrom } from "./status-from-response.ts";
import { isBareRefusal, schemeFailure, schemeRefusal } from "./wrong-scheme.ts";

/** How a {@link Connection} connects. @see client-go rest Config */
export interface ConnectionOptions {
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
  /** Told of repeated requests, at level debug. Default: silent. */
  readonly logger?: Logger | undefined;
  /** How long a connection may take to be made. Default 10,000 ms. */
  readonly connectTimeoutMs?: number | undefined;
  /** How often a silent HTTP/2 connection is pinged; it is dropped after three pings without an answer. Default 30,000 ms; 0 never. */
  readonly pingIntervalMs?: number | undefined;
  /** Use HTTP/2 where the server offers it. Default true. */
  readonly http2?: boolean | undefined;
}

/** Where requests go, and by which means. */
interface Way {
  readonly settings: ConnectionSettings;
  readonly base: URL;
  /** What a server's own path puts before each request's; without a slash at its end. */
  readonly pathPrefix: string;
  readonly credentials: CredentialSource;
  readonly pools: ConnectionPools;
}

/** Characters of a server's answer that a message quotes. */
const longestShown = 500;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const unzip = promisify(gunzip);
/** A stream is read as it comes, and servers compress none of their own accord. */
const uncompressed = { "accept-encoding": "identity" };

/**
 * The way to one API server: settings, credentials and one pool of connections that all requests and watches share. Nothing is
 * opened before the first request.
 *
 * Refusals (429, and 5xx with `Retry-After`) are retried up to ten times after the time the server names, and so are reads whose
 * connection broke; anything else is answered or thrown at once.
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
   * @param settings or a function that finds them: it is called at the first request, or when they are first asked for, and what it
   * throws is thrown then
   * @throws {Error} if `settings.server` is no http or https URL
   */
  constructor(settings: ConnectionSettings | (() => ConnectionSettings), options: ConnectionOptions = {}) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#logger = safeLogger(options.logger ?? silentLogger);
    this.#find = typeof settings === "function" ? settings : () => settings;
    if (typeof settings !== "function") this.#found = this.#wayBy(settings);
  }

  /** @throws {KubeConfigError} as {@link fromDefault}, where they are found only now */
  get settings(): ConnectionSettings {
    return this.#way.settings;
  }

  /**
   * The cluster that kubectl would talk to: that of the given kubeconfig, else of `KUBECONFIG`, else the one this pod runs in, else
   * that of `~/.kube/config`.
   *
   * @param options with `lazy` it is looked for at the first request, which throws what is wrong. Default false.
   * @throws {KubeConfigError} naming the file and the field that is wrong, or every place where nothing was found
   * @see controller-runtime pkg/client/config GetConfig
   */
  static fromDefault(
    options: ConnectionOptions & DefaultSettingsOptions & { readonly lazy?: boolean | undefined } = {},
  ): Connection {
    const find = (): ConnectionSettings => defaultSettings(options);
    return new Connection(options.lazy ? find : find(), options);
  }

  /**
   * From a kubeconfig: its path, or the text itself (recognised by its newlines).
   *
   * @throws {KubeConfigError} naming the file and the field that is wrong
   */
  static fromKubeConfig(
    pathOrText: string,
    options: ConnectionOptions & { readonly context?: string | undefined } = {},
  ): Connection {
    return new Connection(settingsFromKubeConfig(pathOrText, options), options);
  }

  /**
   * The cluster of the pod that this program runs in, as the pod's service account.
   *
   * @throws {KubeConfigError} if it runs in none
   * @see client-go rest.InClusterConfig
   */
  static fromInCluster(options: ConnectionOptions = {}): Connection {
    return new Connection(inClusterSettings(), options);
  }

  /**
   * One request; resolves whatever the status of the answer.
   *
   * @throws {ConnectionError} if no answer came
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
   * One request whose answer is read as it arrives, for watches and logs. Its body has no time limit.
   *
   * @throws {StatusError} if the answer is no success
   * @throws {ConnectionError} if no answer came
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

  /** Tells an observer of all requests from now on. @returns what ends that */
  observe(observer: RequestObserver): () => void {
    this.#observers.add(observer);
    return () => void this.#observers.delete(observer);
  }

  /** Ends all connections, those being made too: requests and watches under way fail. A second call does nothing. */
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
    if (this.#closing.signal.aborted) void pools.close(); // before anything was opened, so that nothing is
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

  /** Tells observers of each request that is sent again. */
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
    throw new Error(`"${server}" is no address of an API server: want https://host:port`);
  return url;
}

/** The error for an answer that leads elsewhere. It is not followed: credentials are for this server alone. */
function redirection({ status, headers }: StreamedResponse): Error | undefined {
  if (!redirects.has(status)) return undefined;
  const to = headers.location === undefined ? "" : ` to "${String(headers.location).slice(0, longestShown)}"`;
  return new Error(
    `the server redirects${to} (status ${status}), which is not followed: give the address of the API server itself as the server`,
  );
}

/** @throws {Error} if something between server and client compresses what is to be read as it comes */
function refuseCompressed({ what = "stream" }: ConnectionRequest, { headers, cancel }: StreamedResponse): void {
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding === "identity") return;
  cancel();
  throw new Error(
    `${what}: the answer is compressed (content-encoding: ${String(encoding)}) although "identity" was asked for`,
  );
}
