import type { IncomingMessage } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import { buffer } from "node:stream/consumers";
import type { TestConnection } from "./test-bed.ts";

export interface ApiResponse {
  readonly status: number;
  readonly text: string;
}

/** A minimal HTTP client for requests sent by the environment itself. Programs under test use a real client. */
export class ApiRequests {
  readonly #connection: TestConnection;
  readonly #agent: Agent | undefined;

  constructor(connection: TestConnection) {
    const { caData: ca, certData: cert, keyData: key } = connection;
    this.#connection = connection;
    if (!connection.handle)
      this.#agent = new Agent({ keepAlive: true, ca, ...(cert ? { cert } : {}), ...(key ? { key } : {}) });
  }

  async send(method: string, path: string, body?: object, accept = "application/json"): Promise<ApiResponse> {
    const { token, server, handle } = this.#connection;
    const headers = {
      accept,
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(body ? { "content-type": "application/json" } : {}),
    };
    const text = body && JSON.stringify(body);
    if (handle) {
      const response = await handle({ method, path, headers, ...(text ? { body: Buffer.from(text) } : {}) });
      const chunks: Uint8Array[] = [];
      for await (const chunk of response.body) chunks.push(chunk);
      return { status: response.status, text: Buffer.concat(chunks).toString() };
    }
    const { promise, resolve, reject } = Promise.withResolvers<ApiResponse>();
    const request = httpsRequest(new URL(path, server), { method, agent: this.#agent, headers });
    request.on("error", reject);
    request.on("response", (response: IncomingMessage) => {
      buffer(response).then((bytes) => resolve({ status: response.statusCode ?? 0, text: bytes.toString() }), reject);
    });
    request.end(text);
    return promise;
  }

  close(): void {
    this.#agent?.destroy();
  }
}
