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
import { Connections, certificateBlocks, whenIdle } from "@kubewright/certificates";
import type { Clock, Timer } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { KeyPair } from "../certificates/certificate-source.ts";
import type { HttpExchange } from "./http-exchange.ts";

export interface TlsListenerOptions {
  readonly port: number;
  readonly host: string | undefined;
  readonly tls: SecureServerOptions;
  /** File of the authorities that sign the certificates of callers. Absent: callers bring none. */
  readonly clientCaFile: string | undefined;
  readonly answer: (http: HttpExchange) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Who has not spoken TLS by then never will. */
const handshakeTimeoutMs = 10_000;
/** Upstream's server lets connections rest for so long. */
const idleTimeoutMs = 90_000;
/** For the headers of a request, from their first byte. */
const headersTimeoutMs = 10_000;
/** For a whole request; an API server waits for 30 seconds at most. */
const requestTimeoutMs = 40_000;
/** How often Node looks for requests that are over time. */
const checkMs = 5_000;
/** API servers open a few connections each. */
const mostConnections = 512;
/** Requests at once on one connection of HTTP/2, as Go's servers allow. */
const mostStreams = 250;
/** How often the file of the callers' authorities is read. */
const rereadMs = 10_000;
/** Larger files hold no authorities. */
const maxBytes = 1024 * 1024;

interface ListenerParts {
  readonly pair: KeyPair | undefined;
  readonly clientCas: string | undefined;
}

/** An HTTPS server that offers HTTP/2, and can take another certificate while it serves. */
export class TlsListener {
  readonly #options: TlsListenerOptions;
  readonly #server: Http2SecureServer;
  readonly #connections: Connections;
  #pair: KeyPair | undefined;
  #clientCas: string | undefined;
  #reread: Timer | undefined;
  /** Why the file could not be read last; logged once. */
  #unread = "";
  readonly #sessions = new Set<ServerHttp2Session>();
  #isRetired = false;

  private constructor(options: TlsListenerOptions, server: Http2SecureServer, parts: ListenerParts) {
    this.#options = options;
    this.#server = server;
    this.#pair = parts.pair;
    this.#clientCas = parts.clientCas;
    this.#connections = new Connections(options.clock, mostConnections);
    server.on("request", (request, response) => {
      response.once("close", this.#connections.began(request.socket));
      if (this.#isRetired) endWith(request, response);
      options.answer({ request, response });
    });
    server.on("connection", (socket: Socket) => this.#connections.add(socket));
    server.on("session", (session) => {
      this.#sessions.add(session);
      session.once("close", () => this.#sessions.delete(session));
      whenIdle(session, idleTimeoutMs, options.clock, () => session.close());
      session.on("error", () => session.destroy()); // a peer that does not speak HTTP/2
    });
    server.on("stream", (stream) => void stream.on("error", () => {})); // told by its end
    server.on("tlsClientError", (_error, socket) => socket.destroy());
  }

  /** Node's servers are loaded with the first. @throws {Error} if the address cannot be listened on, or the file holds no authorities */
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
    const http2 = { settings: { maxConcurrentStreams: mostStreams } };
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

  /** New connections get this certificate. */
  use(pair: KeyPair): void {
    this.#pair = pair;
    this.#setContext();
  }

  #setContext(): void {
    const ca = this.#clientCas === undefined ? {} : { ca: this.#clientCas };
    this.#server.setSecureContext({ ...ca, ...this.#pair, ...this.#options.tls });
  }

  /** New connections are judged by what the file holds then; what cannot be read is logged, and changes nothing. */
  #followClientCas(): void {
    const { clientCaFile, clock, logger } = this.#options;
    if (clientCaFile === undefined) return;
    this.#reread = clock.after(
      rereadMs,
      () => {
        try {
          const clientCas = authoritiesIn(clientCaFile);
          this.#unread = "";
          if (clientCas !== this.#clientCas) {
            this.#clientCas = clientCas;
            this.#setContext();
          }
        } catch (err) {
          const text = String(err);
          if (text !== this.#unread) logger.error({ err }, "authorities of callers not read, the old ones stay");
          this.#unread = text;
        }
        this.#followClientCas();
      },
      { unref: true },
    );
  }

  /** Has callers look for another server: each connection ends with the calls that it has, or with its next. New ones are still taken. */
  retire(): void {
    this.#isRetired = true;
    for (const session of this.#sessions) session.close();
  }

  /** Takes no more connections, lets `idle` be, and ends all connections then, or after `timeoutMs`. */
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
          ? ": end the process that has it, or give another port by --webhook-port (webhooks.port)"
          : "";
        const said = `webhook server failed to listen on ${host ?? ""}:${port}: ${cause.message}${remedy}`;
        reject(new Error(said, { cause }));
      };
      this.#server.once("error", onError);
      this.#server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
        this.#server.removeListener("error", onError);
        resolve();
      });
    });
  }
}

/** The certificates in a file. @throws {Error} that names the file */
function authoritiesIn(file: string): string {
  const failed = (why: string, cause?: unknown): Error => {
    const remedy = "give the file of the authorities that sign the certificates of API servers, in PEM";
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
  if (blocks.length === 0) throw failed("holds no certificate");
  for (const block of blocks) {
    try {
      new X509Certificate(block);
    } catch (cause) {
      throw failed("holds a certificate that cannot be read", cause);
    }
  }
  return blocks.join("");
}

/** The connection ends with this call. */
function endWith(request: Http2ServerRequest, response: Http2ServerResponse): void {
  if (request.httpVersionMajor === 1) {
    response.setHeader("connection", "close");
    return;
  }
  const { session } = request.stream; // a stream that has ended has none
  response.once("close", () => session?.close());
}
