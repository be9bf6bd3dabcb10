import type { Http2SecureServer, SecureServerOptions } from "node:http2";
import type { Socket } from "node:net";
import { whenIdle } from "@kubewright/certificates";
import type { Clock } from "@kubewright/clock";
import type { KeyPair } from "../certificates/certificate-source.ts";
import { Connections } from "./connections.ts";
import type { HttpExchange } from "./http-exchange.ts";

export interface TlsListenerOptions {
  readonly port: number;
  readonly host: string | undefined;
  readonly tls: SecureServerOptions;
  readonly answer: (http: HttpExchange) => void;
  readonly clock: Clock;
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

/** An HTTPS server that offers HTTP/2, and can take another certificate while it serves. */
export class TlsListener {
  readonly #options: TlsListenerOptions;
  readonly #server: Http2SecureServer;
  readonly #connections: Connections;

  private constructor(options: TlsListenerOptions, server: Http2SecureServer) {
    this.#options = options;
    this.#server = server;
    this.#connections = new Connections(options.clock, mostConnections);
    server.on("request", (request, response) => {
      response.once("close", this.#connections.began(request.socket));
      options.answer({ request, response });
    });
    server.on("connection", (socket: Socket) => this.#connections.add(socket));
    server.on("session", (session) => {
      whenIdle(session, idleTimeoutMs, options.clock, () => session.close());
      session.on("error", () => session.destroy()); // a peer that does not speak HTTP/2
    });
    server.on("stream", (stream) => void stream.on("error", () => {})); // told by its end
    server.on("tlsClientError", (_error, socket) => socket.destroy());
  }

  /** Node's servers are loaded with the first. @throws {Error} if the address cannot be listened on */
  static async listen(options: TlsListenerOptions, pair: KeyPair | undefined): Promise<TlsListener> {
    const { createSecureServer } = await import("node:http2");
    const http1 = {
      allowHTTP1: true,
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: idleTimeoutMs,
      connectionsCheckingInterval: checkMs,
    };
    const http2 = { settings: { maxConcurrentStreams: mostStreams } };
    const settings = { handshakeTimeout: handshakeTimeoutMs, ...http1, ...http2, ...pair, ...options.tls };
    const listener = new TlsListener(options, createSecureServer(settings));
    await listener.#listen();
    return listener;
  }

  get port(): number | undefined {
    const address = this.#server.address();
    return typeof address === "object" ? address?.port : undefined;
  }

  /** New connections get this certificate. */
  use(pair: KeyPair): void {
    this.#server.setSecureContext({ ...pair, ...this.#options.tls });
  }

  /** Takes no more connections, lets `idle` be, and ends all connections then, or after `timeoutMs`. */
  async close(idle: () => Promise<void>, timeoutMs: number, clock: Clock): Promise<void> {
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
