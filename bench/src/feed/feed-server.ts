import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { createGzip } from "node:zlib";
import { discoveryAt } from "./discovery.ts";
import { Feed, type FeedResource } from "./feed.ts";

/** Size above which kube-apiserver compresses a response. */
const gzipBytes = 128 * 1024;
const listPart = 256;
/** Number of bytes that are sent before a watcher has read them, so that the watcher never waits for the feed. */
const aheadBytes = 4 << 20;

/**
 * The part of an API server that informers need: lists (whole or in pages, compressed if large), watches, streaming lists and bookmarks,
 * for one resource each of Pods and ConfigMaps. `POST /feed/<resource>/fill` and `.../change` control the content.
 */
export class FeedServer {
  readonly #feeds = { pods: new Feed("pods"), configmaps: new Feed("configmaps") };
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => response.destroy(asError(error)));
    });
    // The connection must stay open while a subject is busy parsing for several seconds.
    this.#server.keepAliveTimeout = 600_000;
  }

  /** Listens on loopback; resolves to the address. */
  async start(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    const address = this.#server.address();
    if (typeof address !== "object" || address === null) throw new Error("the feed is not listening");
    return `http://127.0.0.1:${address.port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://feed");
    const [, area, first, second] = pathname.split("/");
    const feed = this.#feeds[(area === "feed" ? first : pathname.slice("/api/v1/".length)) as FeedResource];
    const discovery = discoveryAt(pathname);
    if (discovery) sendJson(response, 200, discovery);
    else if (!feed) sendJson(response, 404, { kind: "Status", status: "Failure", reason: "NotFound", code: 404 });
    else if (area === "feed") await this.#control(feed, second, query, response);
    else if (query.get("watch")) await watch(feed, query, request, response);
    else await list(feed, query, request, response);
  }

  async #control(
    feed: Feed,
    command: string | undefined,
    query: URLSearchParams,
    response: ServerResponse,
  ): Promise<void> {
    const count = Number(query.get("count"));
    if (command === "fill") feed.fill(count);
    else if (command === "change") await change(feed, count, Number(query.get("perSecond") ?? 0));
    sendJson(response, 200, { version: feed.version });
  }
}

async function list(
  feed: Feed,
  query: URLSearchParams,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const from = Number(query.get("continue") ?? 0);
  const to = Math.min(feed.size, from + (Number(query.get("limit")) || feed.size));
  const rest = to < feed.size ? { continue: String(to), remainingItemCount: feed.size - to } : {};
  const head = `{"kind":"${feed.kind}List","apiVersion":"v1","metadata":${JSON.stringify({ resourceVersion: feed.version, ...rest })},"items":[`;
  const isLarge = to > from && (to - from) * feed.textAt(from, true).length > gzipBytes;
  const isPacked = isLarge && /\bgzip\b/.test(request.headers["accept-encoding"] ?? "");
  response.writeHead(200, { "content-type": "application/json", ...(isPacked ? { "content-encoding": "gzip" } : {}) });
  const body = isPacked ? createGzip({ level: 1 }) : response;
  if (body !== response) body.pipe(response);
  body.write(head);
  for (let at = from; at < to; at += listPart) {
    const items = Array.from({ length: Math.min(listPart, to - at) }, (_, item) => feed.textAt(at + item, true));
    if (!body.write(`${at === from ? "" : ","}${items.join(",")}`)) await once(body, "drain");
  }
  body.end("]}\n");
}

async function watch(
  feed: Feed,
  query: URLSearchParams,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  request.socket.setNoDelay(true);
  response.writeHead(200, { "content-type": "application/json" });
  response.flushHeaders();
  const write = async (bytes: Buffer | string): Promise<void> => {
    const isFull = !response.write(bytes) && response.writableLength > aheadBytes;
    if (isFull && !response.destroyed) await Promise.race([once(response, "drain"), closed]);
  };
  const closed = once(response, "close");
  if (query.get("sendInitialEvents") === "true") {
    for (let at = 0; at < feed.size; at += 16) {
      const events = Array.from({ length: Math.min(16, feed.size - at) }, (_, item) => feed.textAt(at + item, false));
      await write(events.map((text) => `{"type":"ADDED","object":${text}}\n`).join(""));
    }
    await write(feed.bookmark({ "k8s.io/initial-events-end": "true" }));
  }
  feed.watchers.add(write);
  await closed;
  feed.watchers.delete(write);
}

/**
 * Sends events to all watchers: either as fast as they can receive them, with several events per chunk, or at a given
 * rate, with one event per chunk.
 */
async function change(feed: Feed, count: number, perSecond: number): Promise<void> {
  await watched(feed);
  const startedMs = performance.now();
  for (let sent = 0; sent < count; ) {
    const due = Math.floor(((performance.now() - startedMs) * perSecond) / 1_000) + 1;
    const together = perSecond > 0 ? Math.min(1, due - sent) : 1 + (sent % 16);
    if (together <= 0) {
      await sleep(1);
      continue;
    }
    const events = Array.from({ length: Math.min(together, count - sent) }, () => feed.change());
    sent += events.length;
    const bytes = Buffer.from(events.join(""), "latin1");
    await Promise.all([...feed.watchers].map((write) => write(bytes)));
    if (sent % 5_000 < events.length) for (const write of feed.watchers) await write(Buffer.from(feed.bookmark()));
  }
}

/**
 * Waits until the subject watches. A subject that lists first begins to watch a moment after it has reported that it
 * is ready.
 */
async function watched(feed: Feed): Promise<void> {
  for (let waitedMs = 0; feed.watchers.size === 0; waitedMs += 5) {
    if (waitedMs > 20_000) throw new Error("no watchers");
    await sleep(5);
  }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
