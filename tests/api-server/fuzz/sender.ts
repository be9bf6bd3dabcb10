import { Agent, request } from "node:http";
import type { ServerConnection } from "@kubewright/kube-apiserver";
import type { FuzzedRequest } from "./requests.ts";

/** An answer. Status 0: the connection was closed without one. */
export interface FuzzResponse {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/** Sends requests to one server over plain HTTP or, if the server does not listen, in-process. */
export class Sender {
  readonly #connection: ServerConnection;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 });

  constructor(connection: ServerConnection) {
    this.#connection = connection;
  }

  send(fuzzed: FuzzedRequest): Promise<FuzzResponse> {
    const { server, token = "", handle } = this.#connection;
    if (handle) return sendInProcess(handle, fuzzed);
    const { method, path, headers, body } = fuzzed;
    return new Promise((resolve) => {
      const nothing = { status: 0, contentType: "", text: "" };
      const sent = request(`${server}/`, {
        method,
        path,
        agent: this.#agent,
        headers: { authorization: `Bearer ${token}`, ...headers, "content-length": body.length },
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

async function sendInProcess(
  handle: NonNullable<ServerConnection["handle"]>,
  request: FuzzedRequest,
): Promise<FuzzResponse> {
  try {
    const { status, headers, body } = await handle(request);
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    return { status, contentType: String(headers["content-type"] ?? ""), text: Buffer.concat(chunks).toString() };
  } catch {
    return { status: 0, contentType: "", text: "" };
  }
}
