import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import { type Logger, silentLogger } from "@kubewright/log";
import type { Runnable } from "../runnable/runnable.ts";
import { parseBindAddress } from "./bind-address.ts";

/** Answers one request; a rejection becomes a 500. */
export type HttpHandler = (request: IncomingMessage, response: ServerResponse, url: URL) => void | Promise<void>;

export interface HttpServerOptions {
  /** For messages: `metrics`. */
  readonly name: string;
  readonly bindAddress: string;
  readonly handler: HttpHandler;
  /** PEM; without it plain HTTP is spoken. */
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly logger?: Logger;
}

/** A small server of the manager's own, that runs with the first group. */
export class HttpServer implements Runnable {
  readonly group = "http";
  readonly #options: HttpServerOptions;
  readonly #listening = Promise.withResolvers<void>();
  #port: number | undefined;

  constructor(options: HttpServerOptions) {
    this.#options = options;
    this.#listening.promise.catch(() => {}); // told by `run`
  }

  /** Once it listens. */
  get port(): number | undefined {
    return this.#port;
  }

  ready(): Promise<void> {
    return this.#listening.promise;
  }

  /** @throws {Error} if the address cannot be listened on */
  async run(signal: AbortSignal): Promise<void> {
    const address = parseBindAddress(this.#options.bindAddress);
    if (!address || signal.aborted) return this.#listening.resolve();
    const server = await this.#make();
    try {
      await listen(server, address);
    } catch (cause) {
      const { name, bindAddress } = this.#options;
      const error = new Error(`${name} server failed to listen on ${bindAddress}: ${textOf(cause)}`, { cause });
      this.#listening.reject(error);
      throw error;
    }
    const bound = server.address();
    this.#port = typeof bound === "object" ? bound?.port : undefined;
    this.#options.logger?.info({ name: this.#options.name, port: this.#port }, "serving");
    this.#listening.resolve();
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    await close(server);
  }

  /** Node's servers are loaded with the first: many programs that import a manager never run it. */
  async #make(): Promise<Server> {
    const { tls } = this.#options;
    const listener: RequestListener = (request, response) => void this.#answer(request, response);
    if (tls) return (await import("node:https")).createServer(tls, listener);
    return (await import("node:http")).createServer(listener);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { handler, logger = silentLogger, name } = this.#options;
    try {
      await handler(request, response, new URL(request.url ?? "/", "http://manager"));
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

const textOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
