import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { Socket } from "node:net";

interface ListenerTls {
  /** PEM. */
  readonly certificate: string;
  readonly key: string;
  /** Signs the certificates of users, PEM. */
  readonly clientCa: string;
}

export interface ListenerOptions {
  readonly tls: ListenerTls | undefined;
  readonly handle: (incoming: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** New connections are dropped while this says so. */
  readonly refuses: () => boolean;
}

/** A listening socket with the connections it took. */
export class Listener {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor({ tls, handle, refuses }: ListenerOptions) {
    const listener = (incoming: IncomingMessage, response: ServerResponse): void => void handle(incoming, response);
    this.#server = tls
      ? createHttpsServer(
          { cert: tls.certificate, key: tls.key, ca: tls.clientCa, requestCert: true, rejectUnauthorized: false },
          listener,
        )
      : createHttpServer(listener);
    this.#server.requestTimeout = 0;
    this.#server.keepAliveTimeout = 180_000;
    this.#server.on("connection", (socket: Socket) => {
      if (refuses()) return socket.destroy();
      socket.setNoDelay(true);
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      return undefined;
    });
    this.#server.on("tlsClientError", (_error, socket: Socket) => socket.destroy());
    this.#server.on("clientError", (_error, socket) => socket.destroy());
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
