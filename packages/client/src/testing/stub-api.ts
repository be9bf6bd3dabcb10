import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";

export interface StubRequest {
  readonly method: string;
  /** Path and query as received. */
  readonly url: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface StubResponse {
  readonly status?: number | undefined;
  readonly headers?: Record<string, string | string[]> | undefined;
  /** Body. An object is sent as JSON. */
  readonly body?: string | Buffer | object | undefined;
}

/** Writes the response to the socket itself, to simulate streams and broken connections. */
export type StubTakeover = (response: ServerResponse, request: IncomingMessage) => void | Promise<void>;

/** An HTTP server that sends the responses defined by a test and records requests. */
export class StubApi {
  readonly requests: StubRequest[] = [];
  readonly #server: Server;
  /** Number of connections opened so far. */
  connections = 0;

  private constructor(answer: (request: StubRequest) => StubResponse | StubTakeover) {
    this.#server = createServer((incoming, response) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("end", () => {
        const request = requestOf(incoming, Buffer.concat(chunks).toString());
        this.requests.push(request);
        const result = answer(request);
        if (typeof result === "function") void result(response, incoming);
        else send(response, result);
      });
    });
    this.#server.on("connection", () => {
      this.connections++;
    });
  }

  static async start(answer: (request: StubRequest) => StubResponse | StubTakeover): Promise<StubApi> {
    const stub = new StubApi(answer);
    stub.#server.listen(0, "127.0.0.1");
    await once(stub.#server, "listening");
    return stub;
  }

  get url(): string {
    const address = this.#server.address();
    if (typeof address !== "object" || address === null) throw new Error("the stub is not listening");
    return `http://127.0.0.1:${address.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

function requestOf(incoming: IncomingMessage, body: string): StubRequest {
  const url = incoming.url ?? "/";
  const { pathname, searchParams } = new URL(url, "http://stub");
  return {
    method: incoming.method ?? "GET",
    url,
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers: incoming.headers,
    body,
  };
}

function send(response: ServerResponse, { status = 200, headers = {}, body = "" }: StubResponse): void {
  const isPlain = typeof body === "string" || Buffer.isBuffer(body);
  response.writeHead(status, { "content-type": isPlain ? "text/plain" : "application/json", ...headers });
  response.end(isPlain ? body : JSON.stringify(body));
}
