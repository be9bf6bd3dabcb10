import type { IncomingMessage } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import { buffer } from "node:stream/consumers";
import type { TestConnection } from "./test-bed.ts";

export interface ApiResponse {
  readonly status: number;
  readonly text: string;
}

/** Minimal HTTP client for requests that the environment itself sends. Programs under test use a real client. */
export class ApiRequests {
  readonly #connection: TestConnection;
  readonly #agent: Agent;

  constructor(connection: TestConnection) {
    const { caData: ca, certData: cert, keyData: key } = connection;
    this.#connection = connection;
    this.#agent = new Agent({ keepAlive: true, ca, ...(cert ? { cert } : {}), ...(key ? { key } : {}) });
  }

  send(method: string, path: string, body?: object, accept = "application/json"): Promise<ApiResponse> {
    const { promise, resolve, reject } = Promise.withResolvers<ApiResponse>();
    const { token } = this.#connection;
    const request = httpsRequest(new URL(path, this.#connection.server), {
      method,
      agent: this.#agent,
      headers: {
        accept,
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(body ? { "content-type": "application/json" } : {}),
      },
    });
    request.on("error", reject);
    request.on("response", (response: IncomingMessage) => {
      buffer(response).then((bytes) => resolve({ status: response.statusCode ?? 0, text: bytes.toString() }), reject);
    });
    request.end(body ? JSON.stringify(body) : undefined);
    return promise;
  }

  close(): void {
    this.#agent.destroy();
  }
}
