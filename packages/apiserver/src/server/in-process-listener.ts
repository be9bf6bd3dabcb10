import { EventEmitter } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import type { Identity } from "../authentication/authenticator.ts";
import type { InProcessRequest, InProcessResponse } from "../http/in-process.ts";
import type { RequestMessage, ResponseMessage } from "../http/messages.ts";
import type { ChainHandler } from "./chain/filter-chain.ts";

/** Options for an {@link InProcessListener}. */
export interface InProcessListenerOptions {
  readonly handle: ChainHandler;
  /** Reports whether new requests must be dropped. */
  readonly refuses: () => boolean;
}

/** Maximum size of a request's path and headers, as for requests from a socket. */
const maxHeaderBytes = 1024 * 1024;
/** Number of bytes around the value of a header: a colon, a space and a line end. */
const separatorBytes = 4;
/** Number of unread bytes of a body above which the server waits for the reader, as for a socket with its buffers. */
const highWaterBytes = 64 * 1024;
/** Characters that HTTP does not permit in a path. */
const unsendable = /[^\x21-\xff]/;

/**
 * Handles requests from the same process, with the same handler as a {@link Listener}. Uses no sockets, threads or
 * timers, so the order of events depends only on promises.
 */
export class InProcessListener {
  readonly #options: InProcessListenerOptions;
  readonly #open = new Set<InProcessResponseMessage>();
  #isClosed = false;

  constructor(options: InProcessListenerOptions) {
    this.#options = options;
  }

  /**
   * Answers a request. Resolves when the response's status and headers are known.
   *
   * @param identity the sender; if absent, the sender is authenticated by the request's headers
   * @throws {Error} with the code `ECONNREFUSED` or `ECONNRESET` if the request or its response was dropped, as a broken connection would;
   *   the request's body may nevertheless have been processed
   * @throws the signal's reason if it aborts
   */
  async handle(request: InProcessRequest, identity?: Identity): Promise<InProcessResponse> {
    request.signal?.throwIfAborted();
    if (this.#isClosed) throw broken("ECONNREFUSED", "the server is not running");
    if (this.#options.refuses()) throw broken("ECONNRESET", "the server dropped the connection");
    const rejected = rejectionOf(request);
    if (rejected) return rejected;
    const response = new InProcessResponseMessage(request);
    this.#open.add(response);
    response.on("close", () => this.#open.delete(response));
    void this.#options.handle(new InProcessRequestMessage(request), response, identity);
    return response.head;
  }

  /** Drops all requests in progress, as a network failure would. */
  dropConnections(): void {
    for (const response of [...this.#open]) response.destroy();
  }

  /** Drops all requests in progress, and refuses new ones. */
  close(): void {
    this.#isClosed = true;
    this.dropConnections();
  }
}

/** Responds to a request that could not be sent over HTTP, as an HTTP server would. */
function rejectionOf({ path, headers }: InProcessRequest): InProcessResponse | undefined {
  let bytes = path.length;
  for (const [name, value] of Object.entries(headers))
    for (const each of typeof value === "string" ? [value] : value) bytes += name.length + each.length + separatorBytes;
  const text =
    bytes > maxHeaderBytes
      ? "431 Request Header Fields Too Large"
      : !path.startsWith("/") || unsendable.test(path)
        ? "400 Bad Request"
        : undefined;
  if (text === undefined) return undefined;
  const body = (async function* () {
    yield Buffer.from(text);
  })();
  return { status: Number.parseInt(text, 10), headers: { "content-type": "text/plain; charset=utf-8" }, body };
}

const broken = (code: string, message: string): Error => Object.assign(new Error(message), { code });

/** A request from the same process, as an incoming message. */
class InProcessRequestMessage implements RequestMessage {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly complete = true;
  readonly #given: InProcessRequest["headers"];
  #body: Buffer | undefined;

  constructor({ method, path, headers, body }: InProcessRequest) {
    this.method = method;
    this.url = path;
    this.#given = headers;
    this.headers = incomingHeaders(headers, body);
    if (body?.byteLength) this.#body = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  }

  get rawHeaders(): string[] {
    return Object.entries(this.#given).flatMap(([name, value]) =>
      (typeof value === "string" ? [value] : value).flatMap((each) => [name, each]),
    );
  }

  get readableLength(): number {
    return this.#body?.length ?? 0;
  }

  read(): Buffer | undefined {
    const body = this.#body;
    this.#body = undefined;
    return body;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void, undefined> {
    const body = this.read();
    if (body) yield body;
  }
}

/** Headers that the server ignores, because nothing is gained by compressing what stays in the process. */
const ignored = "accept-encoding";

function incomingHeaders(given: InProcessRequest["headers"], body: Uint8Array | undefined): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = {};
  for (const [name, value] of Object.entries(given)) {
    const key = name.toLowerCase();
    if (key !== ignored) headers[key] = typeof value === "string" ? value : value.join(", ");
  }
  if (body) headers["content-length"] = String(body.byteLength);
  return headers;
}

interface Reader {
  resolve(result: IteratorResult<Buffer, undefined>): void;
  reject(error: unknown): void;
}

const ended = { done: true, value: undefined } as const;

/** A response to a request from the same process, which its reader consumes as an async iterable. */
class InProcessResponseMessage implements ResponseMessage, AsyncIterable<Buffer> {
  /** Resolves to the response when its status and headers are known. */
  readonly head: Promise<InProcessResponse>;
  headersSent = false;
  statusCode = 200;
  readonly #headers: Record<string, string | readonly string[]> = {};
  readonly #events = new EventEmitter();
  readonly #resolve: (response: InProcessResponse) => void;
  readonly #reject: (error: unknown) => void;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = (): void => this.#fail(this.#signal?.reason);
  #chunks: Buffer[] = [];
  #unreadBytes = 0;
  #needsDrain = false;
  #state: "open" | "ended" | "failed" = "open";
  #error: unknown;
  #isClosed = false;
  readonly #readers: Reader[] = [];

  constructor({ signal }: InProcessRequest) {
    const { promise, resolve, reject } = Promise.withResolvers<InProcessResponse>();
    this.head = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#signal = signal;
    signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  get writableNeedDrain(): boolean {
    return this.#needsDrain;
  }

  setHeader(name: string, value: number | string | readonly string[]): void {
    this.#headers[name.toLowerCase()] = typeof value === "number" ? String(value) : value;
  }

  appendHeader(name: string, value: string | readonly string[]): void {
    const before = this.#headers[name.toLowerCase()];
    this.setHeader(name, before === undefined ? value : [before, value].flat());
  }

  getHeader(name: string): string | string[] | undefined {
    const value = this.#headers[name.toLowerCase()];
    return typeof value === "string" || value === undefined ? value : [...value];
  }

  writeHead(code: number, headers: Record<string, string | number> = {}): this {
    this.statusCode = code;
    for (const [name, value] of Object.entries(headers)) this.setHeader(name, value);
    this.#sendHead();
    return this;
  }

  write(chunk: Buffer | string): boolean {
    if (this.#state !== "open") return false;
    this.#sendHead();
    this.#push(chunk);
    this.#needsDrain ||= this.#unreadBytes > highWaterBytes;
    return !this.#needsDrain;
  }

  end(chunk?: Buffer | string): void {
    if (this.#state !== "open") return;
    this.#sendHead();
    if (chunk !== undefined) this.#push(chunk);
    this.#state = "ended";
    this.#serve();
    this.#closeIfRead();
  }

  on(event: "close" | "drain" | "error", listener: (error: Error) => void): void {
    this.#events.on(event, listener);
  }

  off(event: "close" | "drain", listener: () => void): void {
    this.#events.off(event, listener);
  }

  /** Drops the response, as a broken connection would. The reader still receives everything that was written before. */
  destroy(): void {
    if (!this.#isClosed) this.#fail(broken("ECONNRESET", "the server dropped the connection"), this.#chunks);
  }

  #sendHead(): void {
    if (this.headersSent) return;
    this.headersSent = true;
    this.#resolve({ status: this.statusCode, headers: this.#headers, body: this });
  }

  #push(chunk: Buffer | string): void {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    if (bytes.length === 0) return;
    this.#chunks.push(bytes);
    this.#unreadBytes += bytes.length;
    this.#serve();
  }

  [Symbol.asyncIterator](): AsyncIterator<Buffer, undefined> {
    return {
      next: () =>
        new Promise((resolve, reject) => {
          this.#readers.push({ resolve, reject });
          this.#serve();
        }),
      // not a generator, whose `return` would wait for the next chunk
      return: async () => {
        this.#fail(new Error("the rest of the response was discarded"));
        return ended;
      },
    };
  }

  /** Gives waiting readers the data that has arrived. */
  #serve(): void {
    while (this.#readers.length > 0) {
      const chunk = this.#chunks.shift();
      if (!chunk && this.#state === "open") return;
      const reader = this.#readers.shift();
      if (chunk) {
        this.#unreadBytes -= chunk.length;
        reader?.resolve({ value: chunk });
        this.#progress();
      } else if (this.#state === "ended") reader?.resolve(ended);
      else reader?.reject(this.#error);
    }
  }

  #progress(): void {
    this.#closeIfRead();
    if (!this.#needsDrain || this.#unreadBytes > 0) return;
    this.#needsDrain = false;
    this.#events.emit("drain");
  }

  /** Ends the exchange once the rest of the body is so small that a socket would have sent it. */
  #closeIfRead(): void {
    if (this.#state === "ended" && this.#unreadBytes <= highWaterBytes) this.#close();
  }

  /** @param kept chunks that the reader still receives */
  #fail(error: unknown, kept: Buffer[] = []): void {
    this.#chunks = kept;
    if (this.#isClosed) return;
    this.#state = "failed";
    this.#error = error;
    this.#reject(error);
    this.#serve();
    this.#close();
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#signal?.removeEventListener("abort", this.#onAbort);
    queueMicrotask(() => this.#events.emit("close"));
  }
}
