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

interface ListenerTls {
  /** PEM. */
  readonly certificate: string;
  readonly key: string;
  /** Sign the certificates of users, PEM. */
  readonly clientCas: readonly string[];
  readonly minVersion?: SecureVersion;
  /** OpenSSL's names, with colons between them. */
  readonly ciphers?: string;
}

export interface ListenerOptions {
  readonly tls: ListenerTls | undefined;
  /** HTTP/2 for clients that ask for it; needs TLS. */
  readonly http2: boolean;
  readonly handle: MessageHandler;
  /** New connections are dropped while this says so. */
  readonly refuses: () => boolean;
  /** After so long a request is answered, whatever has come of it. */
  readonly requestTimeoutMs: number;
  /** How long a connection may have no request, or one of HTTP/2 leave an answer untaken. Default 180000. */
  readonly idleMs?: number;
}

const defaultIdleMs = 180_000;
/** From the first byte, or the connection, to the last of the headers; and so long for TLS to agree. As kube-apiserver. */
const headersMs = 32_000;
/** How often connections are looked at. */
const checkMs = 5_000;
/** For the rest of a body, when its request has been answered. */
const lateBodyMs = 30_000;
/** For what a client still sends: a connection that is closed before it was read is reset, and the answer lost. As Go's servers. */
const refusalMs = 500;
/** Requests at once on one HTTP/2 connection, as kube-apiserver allows. */
const maxStreams = 1_000;
const windowBytes = 1024 * 1024;
/** With the request line: selectors may be long. As Go's servers. */
const maxHeaderBytes = 1024 * 1024;
/** MB. What slow readers leave unread counts too, and a whole connection is not to end for that. */
const maxSessionMemory = 1_000;

/** A listening socket with the connections it took. */
export class Listener {
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

  /** Resolves with the port once connections are taken. @throws {Error} where the address is not free */
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

  /** Drops every connection; new ones are taken. */
  dropConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Drops every connection and frees the port. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.dropConnections();
    await closed;
  }
}

/**
 * Over TLS, Node's parser of HTTP/1.1 is given what has been decrypted even after it paused, because answers wait to be taken, and takes
 * that for no HTTP (24.21). Where somebody listened for data it reads from the stream, which keeps what comes while it is paused.
 */
function readWhenResumed(socket: TLSSocket): void {
  if (socket.alpnProtocol === "h2") return;
  const listen = (): void => {};
  socket.on("data", listen);
  socket.off("data", listen); // what comes after an upgrade is not to be lost
}

/**
 * What is no HTTP is answered by the socket's owner, since no request comes of it.
 *
 * @see net/http conn.serve
 */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (socket.writableEnded) return; // it goes on sending
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
    // Clients are judged by request. Where Node takes a certificate for good it drops the rest of the chain before anybody can see it
    // (24.21, 26.8; https://github.com/nodejs/node/issues/65579), so it is asked for a revocation list that nobody has.
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
  server.on("sessionError", () => {}); // the session is closed by it; its requests hear of that
  return server;
}

/**
 * Ends a connection of HTTP/2 over which nothing has come or gone for a time, its very first bytes included, unless its requests wait for
 * something to tell. An answer that waits to be taken is no such thing: Node does not notice that a client has gone while something is
 * written to it over TLS (24.21: it reads nothing meanwhile), and such a connection would keep its answers and its watches.
 */
function endWhenIdle(session: ServerHttp2Session, idleMs: number): void {
  const streams = new Set<ServerHttp2Stream>();
  session.on("stream", (stream) => {
    streams.add(stream);
    stream.once("close", () => streams.delete(stream));
  });
  whenIdle(session, idleMs, systemClock, () => {
    if (streams.size === 0 || hasUntaken(streams)) session.destroy();
  });
}

function hasUntaken(streams: Iterable<ServerHttp2Stream>): boolean {
  for (const { writableLength } of streams) if (writableLength > 0) return true;
  return false;
}
