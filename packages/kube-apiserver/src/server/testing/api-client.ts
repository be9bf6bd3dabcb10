import { Agent, type IncomingHttpHeaders, request } from "node:http";
import type { ApiServer } from "../api-server.ts";

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON; `undefined` if it is not valid JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  readonly body: any;
}

export interface CallOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly contentType?: string | undefined;
}

/** Sends single requests over plain HTTP, for this package's tests. */
export class ApiClient {
  readonly #url: string;
  readonly #token: string | undefined;
  /** Opens at most 500 connections. Of more than 511 at once, a busy server resets some, because its system does not queue them. */
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 500 });

  constructor(server: ApiServer, user?: string) {
    const connection = server.connection(user);
    this.#url = connection.server;
    this.#token = connection.token;
  }

  readonly get = (path: string, options?: CallOptions): Promise<ReceivedResponse> => this.call("GET", path, options);
  readonly post = (path: string, body: unknown, options?: CallOptions): Promise<ReceivedResponse> =>
    this.call("POST", path, { ...options, body });
  readonly put = (path: string, body: unknown, options?: CallOptions): Promise<ReceivedResponse> =>
    this.call("PUT", path, { ...options, body });
  readonly delete = (path: string, body?: unknown): Promise<ReceivedResponse> => this.call("DELETE", path, { body });

  patch(path: string, type: "json" | "merge" | "strategic-merge" | "apply", body: unknown): Promise<ReceivedResponse> {
    const contentType = type === "apply" ? "application/apply-patch+yaml" : `application/${type}-patch+json`;
    return this.call("PATCH", path, { body, contentType });
  }

  call(method: string, path: string, { body, headers, contentType }: CallOptions = {}): Promise<ReceivedResponse> {
    const { promise, resolve, reject } = Promise.withResolvers<ReceivedResponse>();
    const text = body === undefined || typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const length = text === undefined ? {} : { "content-length": String(Buffer.byteLength(text)) };
    const sent = request(`${this.#url}${path}`, {
      method,
      agent: this.#agent,
      headers: { ...this.#headers(headers, contentType), ...length },
    });
    sent.on("error", reject);
    sent.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = response.headers["content-type"]?.includes("json") && text !== "";
        const parsed: unknown = isJson ? JSON.parse(text) : undefined;
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: parsed });
      });
    });
    sent.end(text);
    return promise;
  }

  /** Yields the lines of a watch until the stream ends or the caller stops reading. */
  async *watch(
    path: string,
    headers?: Readonly<Record<string, string>>,
  ): AsyncGenerator<{ type: string; object: ReceivedResponse["body"] }> {
    const { promise, resolve, reject } = Promise.withResolvers<import("node:http").IncomingMessage>();
    const sent = request(`${this.#url}${path}`, { headers: this.#headers(headers) });
    sent.on("error", reject);
    sent.on("response", resolve);
    sent.end();
    const response = await promise;
    let rest = "";
    try {
      for await (const chunk of response) {
        const lines = (rest + String(chunk)).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) yield JSON.parse(line);
      }
    } finally {
      sent.destroy();
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #headers(more: Readonly<Record<string, string>> = {}, contentType = "application/json"): Record<string, string> {
    return {
      ...(this.#token ? { authorization: `Bearer ${this.#token}` } : {}),
      "content-type": contentType,
      "user-agent": "test/1",
      ...more,
    };
  }
}
