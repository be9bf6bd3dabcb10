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
  /** Certificate in PEM. */
  readonly certificate: string;
  readonly key: string;
  /** CA certificates for users' certificates, in PEM format. */
  readonly clientCas: readonly string[];
  readonly minVersion?: SecureVersion | undefined;
  /** Cipher suites, by OpenSSL's names and separated by colons. */
  readonly ciphers?: string | undefined;
}

/** Options of a {@link Listener}. */
export interface ListenerOptions {
  readonly tls: ListenerTls | undefined;
  /** True to offer HTTP/2, which requires TLS. */
  readonly http2: boolean;
  readonly handle: MessageHandler;
  /** New connections are dropped while this returns true. */
  readonly refuses: () => boolean;
  /** Timeout after which a request receives a response even if its body is incomplete. */
  readonly requestTimeoutMs: number;
  /** Maximum time for a connection without requests, or for an HTTP/2 response that the client does not read. Default 180000. */
  readonly idleMs?: number | undefined;
}

const defaultIdleMs = 180_000;
/** Timeout from the first byte (or the connection) to the last header, and for the TLS handshake, as in kube-apiserver. */
const headersMs = 32_000;
/** Interval of checks. */
const checkMs = 5_000;
/** Time allowed for the rest of a request's body after the response was sent. */
const lateBodyMs = 30_000;
/**
 * Time allowed for data that a client is still sending, as in Go's servers. Closing a connection with unread data would reset it, and the
 * response would be lost.
 */
const refusalMs = 500;
/** Concurrent requests on one HTTP/2 connection, as in kube-apiserver. */
const maxStreams = 1_000;
const windowBytes = 1024 * 1024;
/** Maximum size of headers, including the request line because selectors may be long. Same as in Go's servers. */
const maxHeaderBytes = 1024 * 1024;
/** Session memory, in MB. Includes data that slow readers have not read yet, which must not end the whole connection. */
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

  /** Resolves with the port once it listens. @throws {Error} if the address is in use */
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

  /** Drops every connection. New connections are accepted. */
  dropConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Drops every connection and frees the port. */
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
 * Works around a Node problem (24.21): over TLS, Node's HTTP/1.1 parser receives decrypted data even while paused for responses, and
 * rejects it as invalid HTTP. With a data listener it reads from the stream, which buffers data while paused.
 */
function readWhenResumed(socket: TLSSocket): void {
  if (socket.alpnProtocol === "h2") return;
  const listen = (): void => {};
  socket.on("data", listen);
  socket.off("data", listen); // data after an upgrade must not be lost
}

/**
 * The socket's owner responds to invalid HTTP, because it does not cause a request.
 *
 * @see net/http conn.serve
 */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (socket.writableEnded) return; // the peer continues sending
  if (!error.code?.startsWith("HPE_") || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = error.code === "HPE_HEADER_OVERFLOW" ? "431 Request Header Fields Too Large" : "400 Bad Request";
  const headers = "Content-Type: text/plain; charset=utf-8\r\nConnection: close";
  socket.end(`HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${status}`);
  systemClock.after(refusalMs, () => socket.destroy(), { unref: true });
}

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
    takeUpgrades(server, handler);
    return server;
  }
  const server = createSecureServer(
    {
      ...tlsOptions,
      ...http1Options,
      allowHTTP1: true,
      maxSessionMemory,
      settings: { maxConcurrentStreams: maxStreams, initialWindowSize: windowBytes },
    },
    handler,
  );
  takeUpgrades(server, handler);
  server.on("session", (session) => {
    session.setLocalWindowSize(windowBytes * 4);
    endWhenIdle(session, idleMs);
  });
  server.on("sessionError", () => {}); // this closes the session, which ends its requests
  return server;
}

/**
 * Closes an idle HTTP/2 connection, including one that never sent anything, unless its requests wait for events. A response that the
 * client has not read does not count as waiting: over TLS, Node does not notice during a write that a client has disappeared (24.21 does
 * not read during a write), and such a connection would keep its responses and watches.
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
