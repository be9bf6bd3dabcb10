import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Pod } from "./pods.ts";

export interface SeenRequest {
  readonly path: string;
  readonly accept: string | undefined;
  readonly query: Readonly<Record<string, string>>;
}

/** The part of an API server that lists and watches one collection. Returns metadata on request. */
export class MetadataServer {
  readonly requests: SeenRequest[] = [];
  readonly supportsWatchList: boolean;
  readonly #objects: Pod[] = [];
  readonly #watches = new Set<ServerResponse>();
  #version = 1;
  readonly #server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://server");
    const query = Object.fromEntries(url.searchParams);
    this.requests.push({ path: url.pathname, accept: request.headers.accept, query });
    response.setHeader("content-type", "application/json");
    if (query.watch !== "true") return void response.end(JSON.stringify(this.#list()));
    if (query.sendInitialEvents && !this.supportsWatchList) {
      response.statusCode = 422;
      return void response.end(JSON.stringify({ kind: "Status", code: 422, reason: "Invalid", message: "forbidden" }));
    }
    this.#watches.add(response);
    response.on("close", () => this.#watches.delete(response));
    response.flushHeaders();
    if (!query.sendInitialEvents) return undefined;
    for (const object of this.#objects) response.write(line("ADDED", partial(object)));
    const annotations = { "k8s.io/initial-events-end": "true" };
    response.write(
      line("BOOKMARK", { kind: "PartialObjectMetadata", metadata: { resourceVersion: this.#now(), annotations } }),
    );
    return undefined;
  });

  constructor(options: { supportsWatchList: boolean }) {
    this.supportsWatchList = options.supportsWatchList;
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  send(type: "ADDED" | "MODIFIED" | "DELETED", object: Pod): void {
    this.#version++;
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: this.#now() } };
    if (type === "ADDED") this.#objects.push(stored);
    for (const response of this.#watches) response.write(line(type, partial(stored)));
  }

  #list(): object {
    const items = this.#objects.map(partial);
    return { kind: "PartialObjectMetadataList", metadata: { resourceVersion: this.#now() }, items };
  }

  #now(): string {
    return String(this.#version);
  }
}

const partial = ({ metadata }: Pod): object => ({
  kind: "PartialObjectMetadata",
  apiVersion: "meta.k8s.io/v1",
  metadata,
});

const line = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;
