import { Agent, request } from "node:http";
import type { FuzzedRequest } from "./requests.ts";

/** An answer. Status 0: the connection was closed without one. */
export interface FuzzResponse {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/** Sends requests to one server over plain HTTP. */
export class Sender {
  readonly #url: string;
  readonly #token: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 });

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  send({ method, path, headers, body }: FuzzedRequest): Promise<FuzzResponse> {
    return new Promise((resolve) => {
      const nothing = { status: 0, contentType: "", text: "" };
      const sent = request(`${this.#url}/`, {
        method,
        path,
        agent: this.#agent,
        headers: { authorization: `Bearer ${this.#token}`, ...headers, "content-length": body.length },
      });
      sent.on("error", () => resolve(nothing));
      sent.on("response", (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("error", () => resolve(nothing));
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, contentType: response.headers["content-type"] ?? "", text }),
        );
      });
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
