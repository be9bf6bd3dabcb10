import { Agent, request } from "node:https";

const parallel = 16;
const collection = "/api/v1/namespaces/default/configmaps";

interface Target {
  readonly url: string;
  readonly token: string;
}

/** Sends requests to one server, sixteen at a time, over persistent TLS connections. */
export class Load {
  readonly #target: Target;
  #rounds = 0;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: parallel, rejectUnauthorized: false });

  constructor(target: Target) {
    this.#target = target;
  }

  /** @param first index of the first object */
  creates(count: number, first = 0): Promise<void> {
    return this.#many(count, (index) => this.#send("POST", collection, configMap(first + index)));
  }

  gets(count: number): Promise<void> {
    return this.#many(count, (index) => this.#send("GET", `${collection}/${nameOf(index)}`));
  }

  patches(count: number): Promise<void> {
    const round = ++this.#rounds; // a patch without changes would not write
    return this.#many(count, (index) =>
      this.#send("PATCH", `${collection}/${nameOf(index)}`, { data: { changed: `${round}/${index}` } }),
    );
  }

  lists(count: number): Promise<void> {
    return this.#many(count, () => this.#send("GET", collection), 1);
  }

  /** Opens watches, and returns a promise that resolves when all of them have received the given number of events. */
  async watched(watchers: number, events: number, change: () => Promise<void>): Promise<void> {
    const { text } = await this.#send("GET", `${collection}?limit=1`);
    const version = (JSON.parse(text) as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
    const open = await Promise.all(Array.from({ length: watchers }, () => this.#watch(version, events)));
    await change();
    await Promise.all(open.map(({ seen }) => seen));
    for (const { close } of open) close();
  }

  close(): void {
    this.#agent.destroy();
  }

  async #many(count: number, one: (index: number) => Promise<unknown>, workers = parallel): Promise<void> {
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < count) await one(next++);
    };
    await Promise.all(Array.from({ length: workers }, worker));
  }

  #send(method: string, path: string, body?: unknown): Promise<{ readonly text: string }> {
    return new Promise((resolve, reject) => {
      const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
      const headers = { ...this.#headers(), "content-type": type };
      const sent = request(`${this.#target.url}${path}`, { method, agent: this.#agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on("error", reject).on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          if ((response.statusCode ?? 500) < 300) resolve({ text });
          else reject(new Error(`${method} ${path}: ${response.statusCode} ${text}`));
        });
      });
      sent.on("error", reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  #watch(version: string, events: number): Promise<{ readonly seen: Promise<void>; readonly close: () => void }> {
    return new Promise((resolve, reject) => {
      const path = `${collection}?watch=true&resourceVersion=${version}`;
      const options = { agent: false as const, rejectUnauthorized: false, headers: this.#headers() };
      const sent = request(`${this.#target.url}${path}`, options, (response) => {
        let lines = 0;
        const seen = new Promise<void>((done, failed) => {
          response.on("end", () => failed(new Error(`a watch ended after ${lines} of ${events} events`)));
          response.on("data", (chunk: Buffer) => {
            for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++;
            if (lines >= events) done();
          });
        });
        response.on("error", () => {}); // expected when the watch is closed after its last event
        resolve({ seen, close: () => sent.destroy() });
      });
      sent.on("error", reject);
      sent.end();
    });
  }

  #headers(): Record<string, string> {
    return { authorization: `Bearer ${this.#target.token}`, "user-agent": "bench/1" };
  }
}

const nameOf = (index: number): string => `c${String(index).padStart(6, "0")}`;
const filling = "x".repeat(900);

const configMap = (index: number) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: nameOf(index), labels: { index: String(index) } },
  data: { filling },
});
