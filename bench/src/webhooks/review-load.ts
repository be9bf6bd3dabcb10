import { type ClientHttp2Session, connect } from "node:http2";
import { Agent, request } from "node:https";
import type { Review } from "./reviews.ts";

const parallel = 16;

/** Protocol of the calls. kube-apiserver itself uses HTTP/2. */
export type Protocol = "HTTP/2" | "HTTP/1.1";

/** Sends the same review repeatedly, sixteen at a time, and checks each answer. */
export class ReviewLoad {
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: parallel, rejectUnauthorized: false });
  #session: ClientHttp2Session | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  async send(review: Review, count: number, protocol: Protocol): Promise<void> {
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next++ < count) {
        const answer = await (protocol === "HTTP/2" ? this.#stream(review) : this.#request(review));
        if (!/"allowed":true|"status":"Success"/.test(answer))
          throw new Error(`${review.path}: ${answer.slice(0, 500)}`);
      }
    };
    await Promise.all(Array.from({ length: parallel }, worker));
  }

  close(): void {
    this.#agent.destroy();
    this.#session?.destroy();
  }

  #request({ path, body }: Review): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const headers = { "content-type": "application/json", "content-length": body.length };
    const sent = request(`${this.#url}${path}?timeout=10s`, { method: "POST", agent: this.#agent, headers });
    sent.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("error", reject).on("end", () => resolve(text));
    });
    sent.on("error", reject).end(body);
    return promise;
  }

  #stream({ path, body }: Review): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    this.#session ??= connect(this.#url, { rejectUnauthorized: false }).on("error", reject);
    const stream = this.#session.request({
      ":method": "POST",
      ":path": `${path}?timeout=10s`,
      "content-type": "application/json",
      "content-length": body.length,
    });
    let text = "";
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    stream.on("error", reject).on("end", () => resolve(text));
    stream.end(body);
    return promise;
  }
}
