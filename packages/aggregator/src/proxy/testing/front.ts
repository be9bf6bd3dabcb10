import * as http from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { ApiRequest, requestInfo } from "@kubewright/apiserver/endpoints";
import { FakeClock } from "@kubewright/clock/testing";
import { type RemoteApiService, readApiService } from "../../service/api-service.ts";
import { type Address, ExtensionEnd, type SentRequest } from "../../transport/extension-end.ts";
import { proxyRequest } from "../proxy-request.ts";

const apiService = readApiService({
  apiVersion: "v1",
  kind: "APIService",
  metadata: { name: "v1.g.io" },
  spec: { group: "g.io", version: "v1", service: { namespace: "a", name: "b" } },
}) as RemoteApiService;

/** A connection to an extension server without TLS. */
class PlainEnd extends ExtensionEnd {
  readonly #agent = new http.Agent({ keepAlive: true });

  override send({ address: { host, port }, method, path, headers, signal }: SentRequest): http.ClientRequest {
    return http.request({ host, port, method, path, headers, agent: this.#agent, ...(signal ? { signal } : {}) });
  }

  override close(): void {
    super.close();
    this.#agent.destroy();
  }
}

export interface ExtensionResponse {
  readonly code: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
}

/** An API server with an extension server behind it, both on loopback. The API server forwards every request. */
export class Front implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly stopping = new AbortController();
  /** Requests received by the extension server. */
  readonly seen: http.IncomingMessage[] = [];
  readonly requests: ApiRequest[] = [];
  /** Status code of the response to each upgrade after which a connection was handed over. */
  readonly taken: number[] = [];
  /** Number of responses that have started. */
  started = 0;
  /** Overrides the address of the extension server. */
  address: (() => Promise<Address>) | undefined;
  /** Called with each request before it is forwarded. */
  before: (request: ApiRequest) => void = () => {};
  readonly #behind: http.Server;
  readonly #server: http.Server;
  readonly #sockets = new Set<Duplex>();
  readonly #end: PlainEnd;

  private constructor(
    answer: http.RequestListener,
    upgraded: (incoming: http.IncomingMessage, socket: Duplex) => void,
  ) {
    this.#behind = http.createServer((incoming, response) => {
      this.seen.push(incoming);
      answer(incoming, response);
    });
    this.#behind.on("upgrade", (incoming, socket: Duplex) => {
      this.seen.push(incoming);
      this.#keep(socket);
      upgraded(incoming, socket);
    });
    this.#server = http.createServer((incoming, response) => this.#serve(incoming, response));
    this.#server.on("upgrade", (incoming, socket: Duplex, head: Buffer) => {
      this.#keep(socket);
      const response = new http.ServerResponse(incoming);
      response.assignSocket(incoming.socket);
      const takeOver = (code: number) => {
        this.taken.push(code);
        return { connection: socket, head };
      };
      this.#serve(incoming, Object.assign(response, { takeOver }));
    });
    this.#end = new PlainEnd(
      apiService,
      async () => this.address?.() ?? { host: "127.0.0.1", port: portOf(this.#behind) },
      undefined,
    );
  }

  static async start(
    answer: http.RequestListener,
    upgraded: (incoming: http.IncomingMessage, socket: Duplex) => void = (_, socket) => socket.destroy(),
  ): Promise<Front> {
    const front = new Front(answer, upgraded);
    for (const each of [front.#behind, front.#server])
      await new Promise<void>((resolve) => each.listen(0, "127.0.0.1", resolve));
    return front;
  }

  /** Sends a request without waiting for its response. */
  send(method: string, path: string, headers: http.OutgoingHttpHeaders = {}): http.ClientRequest {
    return http.request({ host: "127.0.0.1", port: portOf(this.#server), method, path, headers, agent: false });
  }

  async ask(
    method: string,
    path: string,
    headers: http.OutgoingHttpHeaders = {},
    body?: string,
  ): Promise<ExtensionResponse> {
    const sent = this.send(method, path, headers);
    const answered = responseTo(sent);
    sent.end(body);
    return answered;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.close();
    for (const socket of this.#sockets) socket.destroy();
    for (const each of [this.#server, this.#behind]) {
      each.closeAllConnections();
      await new Promise<void>((resolve) => each.close(() => resolve()));
    }
  }

  #keep(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.on("error", () => socket.destroy());
  }

  #serve(incoming: http.IncomingMessage, response: http.ServerResponse): void {
    const [path = "", text = ""] = (incoming.url ?? "").split("?");
    const query = new URLSearchParams(text);
    const request = new ApiRequest({
      ...{ incoming, response, query, receivedMs: 0, auditId: "audit-1", stopping: this.stopping.signal },
      info: requestInfo(incoming.method ?? "GET", path, query),
      onResponseStarted: () => this.started++,
    });
    response.on("close", () => request.close());
    request.authenticatedAs({ user: { name: "jane", groups: ["dev"] } });
    this.requests.push(request);
    this.before(request);
    const identity = { names: ["X-My-User"], prefixes: [] };
    void proxyRequest(request, this.#end, { clock: this.clock, identity });
  }
}

const portOf = (server: http.Server): number => (server.address() as AddressInfo).port;

/** Returns the complete response to a request. @throws {Error} if the response is truncated */
export async function responseTo(sent: http.ClientRequest): Promise<ExtensionResponse> {
  const answered = await new Promise<http.IncomingMessage>((resolve, reject) => {
    sent.on("response", resolve).on("error", reject);
  });
  let text = "";
  for await (const chunk of answered) text += String(chunk);
  return { code: answered.statusCode ?? 0, headers: answered.headers, text };
}
