import { X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import type {
  Http2SecureServer,
  Http2ServerRequest,
  Http2ServerResponse,
  SecureServerOptions,
  ServerHttp2Session,
} from "node:http2";
import type { Socket } from "node:net";
import { Connections, certificateBlocks, isPipelined, whenIdle } from "@kubewright/certificates";
import type { Clock, Timer } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { KeyPair } from "../certificates/certificate-source.ts";
import type { HttpExchange } from "./http-exchange.ts";

export interface TlsListenerOptions {
  readonly port: number;
  readonly host: string | undefined;
  readonly tls: SecureServerOptions;
  /** File with the CA certificates that sign callers' certificates. If absent, callers need no certificate. */
  readonly clientCaFile: string | undefined;
  readonly answer: (http: HttpExchange) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Timeout for TLS handshakes. */
const handshakeTimeoutMs = 10_000;
/** Idle timeout of connections, as in upstream. */
const idleTimeoutMs = 90_000;
/** Timeout for the headers of a request, from their first byte. */
const headersTimeoutMs = 10_000;
/** Timeout for a whole request; an API server waits for at most 30 seconds. */
const requestTimeoutMs = 40_000;
/** Interval at which Node.js checks for requests that exceed their timeout. */
const checkMs = 5_000;
/** Maximum number of connections. An API server opens only a few. */
const maxConnections = 512;
/** Maximum concurrent requests on one HTTP/2 connection, as in Go. */
const maxStreams = 250;
/** Interval between reads of the client CA file. */
const rereadMs = 10_000;
/** Maximum size of the client CA file. */
const maxBytes = 1024 * 1024;

interface ListenerParts {
  readonly pair: KeyPair | undefined;
  readonly clientCas: string | undefined;
}

/** An HTTPS server that offers HTTP/2 and can change its certificate while it is running. */
export class TlsListener {
  readonly #options: TlsListenerOptions;
  readonly #server: Http2SecureServer;
  readonly #connections: Connections;
  #pair: KeyPair | undefined;
  #clientCas: string | undefined;
  #reread: Timer | undefined;
  /** Last error that occurred when the client CA file was read. Stored so that each error is logged only once. */
  #unread = "";
  readonly #sessions = new Set<ServerHttp2Session>();
  #isRetired = false;

  private constructor(options: TlsListenerOptions, server: Http2SecureServer, parts: ListenerParts) {
    this.#options = options;
    this.#server = server;
    this.#pair = parts.pair;
    this.#clientCas = parts.clientCas;
    this.#connections = new Connections(options.clock, maxConnections);
    server.on("request", (request, response) => {
      if (request.httpVersionMajor === 1 && isPipelined(request.socket)) return void request.socket.destroy();
      response.once("close", this.#connections.began(request.socket, request));
      if (this.#isRetired) endWith(request, response);
      options.answer({ request, response });
    });
    server.on("connection", (socket: Socket) => this.#connections.add(socket));
    server.on("session", (session) => {
      this.#sessions.add(session);
      session.once("close", () => this.#sessions.delete(session));
      whenIdle(session, idleTimeoutMs, options.clock, () => session.close());
      session.on("error", () => session.destroy()); // a peer that does not support HTTP/2
    });
    server.on("stream", (stream) => void stream.on("error", () => {})); // reported by the stream's end
    server.on("tlsClientError", (_error, socket) => socket.destroy());
  }

  /**
   * Creates the server; loads Node's modules on first use. @throws {Error} if the address is not available, or the file contains no CA
   * certificates
   */
  static async listen(options: TlsListenerOptions, pair: KeyPair | undefined): Promise<TlsListener> {
    const { createSecureServer } = await import("node:http2");
    const { clientCaFile, tls } = options;
    const clientCas = clientCaFile === undefined ? undefined : authoritiesIn(clientCaFile);
    const callers = clientCas === undefined ? {} : { requestCert: true, rejectUnauthorized: true, ca: clientCas };
    const http1 = {
      allowHTTP1: true,
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: idleTimeoutMs,
      connectionsCheckingInterval: checkMs,
    };
    const http2 = { settings: { maxConcurrentStreams: maxStreams } };
    const settings = { handshakeTimeout: handshakeTimeoutMs, ...http1, ...http2, ...callers, ...pair, ...tls };
    const listener = new TlsListener(options, createSecureServer(settings), { pair, clientCas });
    await listener.#listen();
    listener.#followClientCas();
    return listener;
  }

  get port(): number | undefined {
    const address = this.#server.address();
    return typeof address === "object" ? address?.port : undefined;
  }

  /** Uses the certificate for new connections. @throws {Error} if TLS does not accept it; the previous one then remains in use */
  use(pair: KeyPair): void {
    this.#setContext({ pair, clientCas: this.#clientCas });
  }

  #setContext(parts: ListenerParts): void {
    const { pair, clientCas } = parts;
    const ca = clientCas === undefined ? {} : { ca: clientCas };
    this.#server.setSecureContext({ ...ca, ...pair, ...this.#options.tls });
    this.#pair = pair;
    this.#clientCas = clientCas;
  }

  /**
   * Reads the client CA file repeatedly and uses its certificates for new connections. If reading fails, the error is
   * logged and the previous certificates remain in use.
   */
  #followClientCas(): void {
    const { clientCaFile, clock, logger } = this.#options;
    if (clientCaFile === undefined) return;
    this.#reread = clock.after(
      rereadMs,
      () => {
        try {
          const clientCas = authoritiesIn(clientCaFile);
          this.#unread = "";
          if (clientCas !== this.#clientCas) this.#setContext({ pair: this.#pair, clientCas });
        } catch (err) {
          const text = String(err);
          if (text !== this.#unread)
            logger.error({ err }, "failed to read client CA certificates; keeping the old ones");
          this.#unread = text;
        }
        this.#followClientCas();
      },
      { unref: true },
    );
  }

  /**
   * Makes callers reconnect to another replica. Each connection ends after its current calls or, if it is idle, after its next call. New
   * connections are still accepted.
   */
  retire(): void {
    this.#isRetired = true;
    for (const session of this.#sessions) session.close();
  }

  /** Stops accepting connections, waits for `idle` or `timeoutMs`, and closes all connections. */
  async close(idle: () => Promise<void>, timeoutMs: number, clock: Clock): Promise<void> {
    this.#reread?.cancel();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    const late = new AbortController();
    await Promise.race([idle(), clock.sleep(timeoutMs, late.signal)]);
    late.abort();
    this.#connections.close();
    await closed;
  }

  #listen(): Promise<void> {
    const { port, host } = this.#options;
    return new Promise((resolve, reject) => {
      const onError = (cause: Error): void => {
        const isTaken = "code" in cause && cause.code === "EADDRINUSE";
        const remedy = isTaken
          ? "; stop the process that uses the port, or set another port with --webhook-port (webhooks.port)"
          : "";
        const message = `webhook server failed to listen on ${host ?? ""}:${port}: ${cause.message}${remedy}`;
        reject(new Error(message, { cause }));
      };
      this.#server.once("error", onError);
      this.#server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
        this.#server.removeListener("error", onError);
        resolve();
      });
    });
  }
}

/** Returns the certificates in a file. @throws {Error} that names the file */
function authoritiesIn(file: string): string {
  const failed = (why: string, cause?: unknown): Error => {
    const remedy = "set it to a PEM file with the CA certificates that sign the API servers' client certificates";
    return new Error(`clientCAName: ${file} ${why}; ${remedy}`, { cause });
  };
  let text: string | undefined;
  try {
    text = statSync(file).size > maxBytes ? undefined : readFileSync(file, "utf8");
  } catch (cause) {
    throw failed(`cannot be read: ${String(cause)}`, cause);
  }
  if (text === undefined) throw failed(`is larger than ${maxBytes} bytes`);
  const blocks = certificateBlocks(text);
  if (blocks.length === 0) throw failed("contains no certificate");
  for (const block of blocks) {
    try {
      new X509Certificate(block);
    } catch (cause) {
      throw failed("contains a certificate that cannot be read", cause);
    }
  }
  return blocks.join("");
}

/** Closes the connection after this call. */
function endWith(request: Http2ServerRequest, response: Http2ServerResponse): void {
  if (request.httpVersionMajor === 1) {
    response.setHeader("connection", "close");
    return;
  }
  const { session } = request.stream; // an ended stream has no session
  response.once("close", () => session?.close());
}
