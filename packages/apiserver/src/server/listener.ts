import { createServer as createHttpServer, type Server } from "node:http";
import {
  createSecureServer,
  type Http2SecureServer,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import { createServer as createHttpsServer } from "node:https";
import type { Socket } from "node:net";
import type { SecureVersion, TLSSocket } from "node:tls";
import { emptyRevocationList, whenIdle } from "@kubewright/certificates";
import { systemClock } from "@kubewright/clock";
import type { MessageHandler, RequestMessage, ResponseMessage } from "../http/messages.ts";
import { takeUpgrades } from "../http/web-socket.ts";

/** Certificate, key and TLS settings of a listener. */
export interface ListenerTls {
  /** Certificate of the server, in PEM format. */
  readonly certificate: string;
  readonly key: string;
  /** CA certificates that verify client certificates, in PEM format. */
  readonly clientCas: readonly string[];
  readonly minVersion?: SecureVersion | undefined;
  /** Names of the cipher suites as in OpenSSL, separated by colons. */
  readonly ciphers?: string | undefined;
}

/** Options for a {@link Listener}. */
export interface ListenerOptions {
  readonly tls: ListenerTls | undefined;
  /** True to offer HTTP/2, which requires TLS. */
  readonly http2: boolean;
  readonly handle: MessageHandler;
  /** Reports whether new connections must be dropped. */
  readonly refuses: () => boolean;
  /** Time in milliseconds after which a request receives a response, even if its body is incomplete. */
  readonly requestTimeoutMs: number;
  /**
   * Time in milliseconds after which a connection is closed if it has no requests, or if its client does not read an
   * HTTP/2 response. Default 180000.
   */
  readonly idleMs?: number | undefined;
}

const defaultIdleMs = 180_000;
/**
 * Time limit for receiving all headers, counted from the first byte (or the connection), and for the TLS handshake, as in kube-apiserver.
 */
const headersMs = 32_000;
/** Interval at which Node checks connections for exceeded time limits. */
const checkMs = 5_000;
/** Time for which the rest of a request's body is still received after the response has been sent. */
const lateBodyMs = 30_000;
/**
 * Time to wait before closing a connection on which the client is still sending data, as in Go's servers. Closing such a connection
 * immediately would reset it, and the client would lose the response.
 */
const refusalMs = 500;
/** Maximum number of concurrent requests on one HTTP/2 connection, as in kube-apiserver. */
const maxStreams = 1_000;
const windowBytes = 1024 * 1024;
/** Maximum size of a request's headers, as in Go's servers. It includes the request line, which may contain long selectors. */
const maxHeaderBytes = 1024 * 1024;
/**
 * Maximum number of headers of an HTTP/2 request. It is high, because a front proxy sends one header for each group of
 * a user, and because Node's limit for the size of all headers (64 KiB) also applies.
 */
const maxHttp2Headers = 2_000;
/**
 * Maximum memory of an HTTP/2 session, in MB. It includes data that slow clients have not read yet. The limit is high, so that one slow
 * response does not end the whole connection.
 */
const maxSessionMemory = 1_000;

/** A listening socket with its connections. */
export class Listener implements AsyncDisposable {
  readonly #server: Server | Http2SecureServer;
  readonly #sockets = new Set<Socket>();

  constructor(options: ListenerOptions) {
    const { handle, refuses } = options;
    this.#server = serverOf(options, (incoming, response) => void handle(incoming, response));
    this.#server.on("connection", (socket: Socket) => {
      if (refuses()) return socket.destroy();
      socket.setNoDelay(true);
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      return undefined;
    });
    this.#server.on("tlsClientError", (_error: Error, socket: Socket) => socket.destroy());
    this.#server.on("secureConnection", readWhenResumed);
    this.#server.on("clientError", refuseMalformed);
  }

  /** Starts to listen, and resolves to the port. @throws {Error} if the address is in use */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen({ host, port }, () => {
        this.#server.off("error", reject);
        const address = this.#server.address();
        resolve(typeof address === "object" && address ? address.port : port);
      });
    });
  }

  /** Drops all connections. New connections are still accepted. */
  dropConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Drops all connections and frees the port. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.dropConnections();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/**
 * Works around a problem in Node (24.21): over TLS, the HTTP/1.1 parser receives decrypted data even while it is paused because of
 * responses, and rejects the data as invalid HTTP. If the socket has a listener for `data`, the parser reads from the stream instead, which
 * buffers data while it is paused.
 */
function readWhenResumed(socket: TLSSocket): void {
  if (socket.alpnProtocol === "h2") return;
  const listen = (): void => {};
  socket.on("data", listen);
  socket.off("data", listen); // otherwise, data after an upgrade would be lost
}

/**
 * Responds to invalid HTTP. This happens on the socket, because Node does not report a request in this case.
 *
 * @see net/http conn.serve
 */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (socket.writableEnded) return; // the client continues sending
  if (!error.code?.startsWith("HPE_") || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = error.code === "HPE_HEADER_OVERFLOW" ? "431 Request Header Fields Too Large" : "400 Bad Request";
  const headers = "Content-Type: text/plain; charset=utf-8\r\nConnection: close";
  socket.end(`HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${status}`);
  systemClock.after(refusalMs, () => socket.destroy(), { unref: true });
}

/**
 * Value of `maxHeadersCount` for no limit. By default, some versions of Node ignore the headers after the first thousand, which may include
 * the `Impersonate-User` of a front proxy: the request would have the proxy's permissions. {@link maxHeaderBytes} limits the headers.
 */
const unlimited = 0;

type Handler = (incoming: RequestMessage, response: ResponseMessage) => void;

function serverOf(options: ListenerOptions, handler: Handler): Server | Http2SecureServer {
  const { tls, http2, requestTimeoutMs, idleMs = defaultIdleMs } = options;
  const requestTimeout = Math.max(requestTimeoutMs, headersMs) + lateBodyMs;
  const http1Options = {
    headersTimeout: headersMs,
    requestTimeout,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: checkMs,
    maxHeaderSize: maxHeaderBytes,
  };
  if (!tls) {
    const server = createHttpServer(http1Options, handler);
    server.maxHeadersCount = unlimited;
    takeUpgrades(server, handler);
    return server;
  }
  const tlsOptions = {
    cert: tls.certificate,
    key: tls.key,
    ca: [...tls.clientCas],
    ...(tls.minVersion ? { minVersion: tls.minVersion } : {}),
    ...(tls.ciphers ? { ciphers: tls.ciphers } : {}),
    requestCert: true,
    rejectUnauthorized: false,
    // Clients are verified per request. If Node trusts a certificate itself, it drops the rest of the chain before it is accessible (24.21,
    // 26.8; https://github.com/nodejs/node/issues/65579). An empty revocation list prevents this.
    crl: emptyRevocationList(),
    handshakeTimeout: headersMs,
  };
  if (!http2) {
    const server = createHttpsServer({ ...tlsOptions, ...http1Options }, handler);
    server.maxHeadersCount = unlimited;
    takeUpgrades(server, handler);
    return server;
  }
  const server = createSecureServer(
    {
      ...tlsOptions,
      ...http1Options,
      allowHTTP1: true,
      maxSessionMemory,
      maxHeaderListPairs: maxHttp2Headers,
      settings: { maxConcurrentStreams: maxStreams, initialWindowSize: windowBytes },
    },
    handler,
  );
  Object.assign(server, { maxHeadersCount: unlimited }); // for HTTP/1.1, which the types of this server do not mention
  takeUpgrades(server, handler);
  server.on("session", (session) => {
    session.setLocalWindowSize(windowBytes * 4);
    endWhenIdle(session, idleMs);
  });
  server.on("sessionError", () => {}); // the error closes the session, which ends its requests
  return server;
}

/**
 * Closes an HTTP/2 connection when it is idle, including a connection on which nothing was ever sent, unless it has requests that wait
 * for events, such as watches. A request whose response the client has not read does not count: over TLS, Node does not notice during a
 * write that a client has disappeared (24.21 does not read during a write), and such a connection would keep its responses and watches.
 */
function endWhenIdle(session: ServerHttp2Session, idleMs: number): void {
  const streams = new Set<ServerHttp2Stream>();
  session.on("stream", (stream) => {
    streams.add(stream);
    stream.once("close", () => streams.delete(stream));
  });
  whenIdle(session, idleMs, systemClock, () => {
    if (streams.size === 0 || hasUnread(streams)) session.destroy();
  });
}

function hasUnread(streams: Iterable<ServerHttp2Stream>): boolean {
  for (const { writableLength } of streams) if (writableLength > 0) return true;
  return false;
}
