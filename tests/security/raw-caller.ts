import { Agent, request } from "node:https";
import type { TestConnection } from "@kubewright/envtest";

export interface ReceivedResponse {
  readonly status: number;
  readonly text: string;
  /** The parsed body; `undefined` if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  readonly body: any;
}

/** Sends requests exactly as written, including odd paths and methods, with a timeout of 10 s. */
export class Caller {
  readonly #connection: TestConnection;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #agent: Agent;

  /** @param headers sent with every request, such as `Impersonate-User` */
  constructor(connection: TestConnection, headers: Readonly<Record<string, string>> = {}, agent?: Agent) {
    this.#connection = connection;
    this.#headers = headers;
    const { caData, certData, keyData } = connection;
    this.#agent = agent ?? new Agent({ ca: caData, cert: certData, key: keyData, keepAlive: true });
  }

  /** Returns a caller with the same connection and other headers. */
  as(user: string): Caller {
    return new Caller(this.#connection, { "impersonate-user": user }, this.#agent);
  }

  call(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string | readonly string[]>> = {},
  ): Promise<ReceivedResponse> {
    const { promise, resolve, reject } = Promise.withResolvers<ReceivedResponse>();
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    const content = text === undefined ? {} : { "content-type": "application/json" };
    const sent = request(this.#connection.server, {
      method,
      path,
      agent: this.#agent,
      timeout: 10_000,
      headers: { ...content, "content-length": Buffer.byteLength(text ?? ""), ...this.#headers, ...headers },
    });
    sent.on("timeout", () => sent.destroy(new Error(`no answer to ${method} ${path} in 10 s`)));
    sent.on("error", reject);
    sent.on("response", (response) => {
      let answer = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        answer += chunk;
      });
      response.on("error", reject);
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text: answer, body: parsed(answer) }));
    });
    sent.end(text);
    return promise;
  }

  /** @throws {Error} for an unsuccessful answer */
  async must(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<ReceivedResponse> {
    const answer = await this.call(method, path, body, headers);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer;
  }

  close(): void {
    this.#agent.destroy();
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
