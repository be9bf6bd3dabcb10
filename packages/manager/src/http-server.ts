import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { join } from "node:path";
import type { CertWatcherMetrics, IssuedCertificate } from "@kubewright/certificates";
import { type Clock, systemClock } from "@kubewright/clock";
import { errorText, type Logger, silentLogger } from "@kubewright/log";
import type { Runnable } from "./runnable.ts";

/** Handles one request. If the promise rejects, the server responds with status 500. */
export type HttpHandler = (request: IncomingMessage, response: ServerResponse, url: URL) => void | Promise<void>;

/** Options for an {@link HttpServer}: its handler, address and limits. */
export interface HttpServerOptions {
  /** Name for messages, such as `metrics`. */
  readonly name: string;
  /** Address, such as `127.0.0.1:8080`, or `:8080` for all interfaces. `"0"` disables the server. Port 0 selects any free port. */
  readonly bindAddress: string;
  /** Setting that contains the address, such as `--metrics-bind-address`. Used in the error if the address is in use. */
  readonly setBy?: string | undefined;
  readonly handler: HttpHandler;
  /** Certificate. Without it, the server uses plain HTTP. */
  readonly tls?: ServingTls | undefined;
  /** Metrics for the certificate files of `tls`. */
  readonly certificateMetrics?: CertWatcherMetrics | undefined;
  readonly clock?: Clock | undefined;
  /** Logger for the address and failed requests. Default: silent. */
  readonly logger?: Logger | undefined;
  /**
   * Maximum number of connections. When it is exceeded, connections of the peer with the most connections are closed,
   * silent ones first. Default 256.
   */
  readonly maxConnections?: number | undefined;
}

/** State of an HTTP server, for a console. */
export interface HttpServerInspection {
  /** Port of the server. Absent if it is not listening. */
  readonly port: number | undefined;
  readonly certificate?: { readonly notAfter: string } | undefined;
}

/**
 * Timeout for the TLS handshake and for a request's headers, which probes, Prometheus and browsers send immediately. It also ends silent
 * connections.
 */
const headersTimeoutMs = 5_000;
/** Timeout for receiving a whole request. */
const requestTimeoutMs = 30_000;
/** Interval at which Node checks whether requests have exceeded their timeouts. */
const checkMs = 1_000;
const usualConnections = 256;

/** A small HTTP server that a manager runs in the `http` group. */
export class HttpServer implements Runnable {
  readonly group = "http";
  readonly name: string;
  readonly #options: HttpServerOptions;
  readonly #listening = Promise.withResolvers<void>();
  #port: number | undefined;
  /** Expiry time of the served certificate, in ISO 8601 format. */
  #notAfter: string | undefined;

  constructor(options: HttpServerOptions) {
    this.name = options.name;
    this.#options = options;
    this.#listening.promise.catch(() => {}); // reported by `run`
  }

  /** Port of the server. `undefined` until it is listening. */
  get port(): number | undefined {
    return this.#port;
  }

  /** Returns the server's current state. `notAfter` is the expiry time of the served certificate. */
  inspect(): HttpServerInspection {
    const notAfter = this.#notAfter;
    return { port: this.#port, ...(notAfter === undefined ? {} : { certificate: { notAfter } }) };
  }

  ready(): Promise<void> {
    return this.#listening.promise;
  }

  /**
   * Serves until the signal aborts. @throws {Error} if the server cannot listen on the address, or the certificate files contain no
   * certificate
   */
  async run(signal: AbortSignal): Promise<void> {
    const address = parseBindAddress(this.#options.bindAddress);
    if (!address || signal.aborted) return this.#listening.resolve();
    const stop = new AbortController();
    const { Connections, isPipelined } = await import("@kubewright/certificates");
    const { maxConnections = usualConnections, clock = systemClock } = this.#options;
    const connections = new Connections(clock, maxConnections);
    const answer: RequestListener = (request, response) => {
      if (isPipelined(request.socket)) return void request.socket.destroy();
      response.once("close", connections.began(request.socket, request));
      void this.#answer(request, response);
    };
    const { server, watching } = await this.#make(answer, AbortSignal.any([signal, stop.signal]));
    server.on("connection", (socket: Socket) => connections.add(socket));
    try {
      await listen(server, address);
    } catch (cause) {
      const { name, bindAddress, setBy } = this.#options;
      const isTaken = cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE";
      const remedy =
        setBy && isTaken ? `; stop the process that uses the address, or set another address with ${setBy}` : "";
      const error = new Error(`${name} server failed to listen on ${bindAddress}: ${errorText(cause)}${remedy}`, {
        cause,
      });
      this.#listening.reject(error);
      stop.abort();
      await watching;
      throw error;
    }
    const bound = server.address();
    this.#port = typeof bound === "object" ? bound?.port : undefined;
    this.#options.logger?.info({ name: this.#options.name, port: this.#port }, "serving");
    this.#listening.resolve();
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    await Promise.all([close(server), watching]);
  }

  /** Loads Node's server modules when the first server is created, because many programs import a manager without running it. */
  async #make(listener: RequestListener, signal: AbortSignal): Promise<{ server: Server; watching?: Promise<void> }> {
    const { tls, certificateMetrics: metrics, clock, logger } = this.#options;
    const limits = {
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: checkMs,
    };
    if (!tls) return { server: (await import("node:http")).createServer(limits, listener) };
    const secure = { ...limits, handshakeTimeout: headersTimeoutMs };
    const [{ createServer }, { X509Certificate }] = await Promise.all([import("node:https"), import("node:crypto")]);
    const note = (certificate: string): void => {
      this.#notAfter = new X509Certificate(certificate).validToDate.toISOString();
    };
    const given = tls === "self-signed" ? await selfSigned(this.name, clock) : tls;
    if ("cert" in given) {
      note(given.cert);
      return { server: createServer({ ...secure, ...given }, listener) };
    }
    const { CertWatcher } = await import("@kubewright/certificates");
    const watcher = new CertWatcher({ ...filesOf(given), metrics, clock, logger });
    const pair = ({ certificate: cert, key }: IssuedCertificate) => ({ cert, key });
    const server = createServer({ ...secure, ...pair(watcher.current) }, listener);
    note(watcher.current.certificate);
    watcher.onChange((changed) => {
      server.setSecureContext(pair(changed));
      note(changed.certificate);
    });
    return { server, watching: watcher.run(signal) };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { handler, logger = silentLogger, name } = this.#options;
    const url = URL.parse(request.url ?? "/", "http://manager");
    if (!url)
      return void response.writeHead(400, { "content-type": "text/plain; charset=utf-8" }).end("no such path\n");
    try {
      await handler(request, response, url);
    } catch (err) {
      logger.error({ err, name }, "request failed");
      if (!response.headersSent) response.writeHead(500, { "content-type": "text/plain; charset=utf-8" });
      response.end("internal server error\n");
    }
  }
}

function listen(server: Server, address: { readonly host?: string; readonly port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(address, () => {
      server.removeListener("error", reject);
      resolve();
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/**
 * Parses a server's address, such as `:8080` (all interfaces), `127.0.0.1:8080` or `[::1]:0`. Returns `undefined` for `"0"` and the empty
 * string, which disable the server.
 *
 * @throws {Error} if the text is not a valid address
 */
export function parseBindAddress(address: string): { readonly host?: string; readonly port: number } | undefined {
  if (address === "0" || address === "") return undefined;
  const match = /^(?:\[(.+)\]|([^:[\]]*)):(\d{1,5})$/.exec(address);
  const port = Number(match?.[3]);
  if (!match || port > 65_535) throw new Error(`cannot listen on "${address}"; use "host:port", ":port" or "0"`);
  const host = match[1] ?? match[2];
  return host ? { host, port } : { port };
}

/**
 * Certificate and key: as PEM text, or as files that are reread when they change. In a folder, the files must be named
 * `tls.crt` and `tls.key`. `"self-signed"` creates a certificate in memory at each start; clients cannot verify it, but
 * tokens are encrypted in transit.
 */
export type ServingTls =
  | "self-signed"
  | { readonly cert: string; readonly key: string }
  | { readonly certFile: string; readonly keyFile: string }
  | { readonly dir: string };

/** Validity of a self-signed certificate. It exceeds the time for which a process runs. */
const selfSignedMs = 10 * 365 * 24 * 3_600_000;

/** @see controller-runtime pkg/metrics/server createListener */
async function selfSigned(
  name: string,
  clock: Clock = systemClock,
): Promise<{ readonly cert: string; readonly key: string }> {
  const { CertificateAuthority } = await import("@kubewright/certificates");
  const lifetimeMs = selfSignedMs;
  const authority = new CertificateAuthority(`${name}-ca`, undefined, { lifetimeMs, nowMs: () => clock.now() });
  const { certificate, key } = authority.issueServer(name, ["localhost"], { lifetimeMs });
  return { cert: certificate, key };
}

const filesOf = (
  tls: Exclude<ServingTls, { readonly cert: string } | string>,
): { readonly certFile: string; readonly keyFile: string } =>
  "dir" in tls ? { certFile: join(tls.dir, "tls.crt"), keyFile: join(tls.dir, "tls.key") } : tls;
