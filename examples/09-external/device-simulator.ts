import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** What the outside system does, as far as the program sees it. A url may have a prefix, by which is told who asks. */
export class DeviceSimulator {
  readonly settings = new Map<string, unknown>();
  /** Devices that do not answer. */
  readonly silent = new Set<string>();
  /** `north PUT default/lamp`, in the order of it. */
  readonly calls: string[] = [];
  /** Answers 503 to all. */
  isAway = false;
  readonly #called: (call: string) => void;
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  readonly #reports: string[] = [];
  readonly #waiting = new Set<ServerResponse>();

  /** @param called told of each call, as it comes */
  constructor(called: (call: string) => void = () => {}) {
    this.#called = called;
  }

  /** @param port 0: any that is free */
  async start(port = 0): Promise<string> {
    await once(this.#server.listen(port, "127.0.0.1"), "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** A device has something to say. */
  report(id: string): void {
    this.#reports.push(id);
    for (const response of this.#waiting) this.#tell(response);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = "" } = request;
    const [, who, what, ...rest] = url.split("/");
    const id = rest.join("/");
    const body = await text(request);
    if (this.isAway) return void response.writeHead(503).end();
    if (what === "reports") {
      this.#waiting.add(response);
      response.on("close", () => this.#waiting.delete(response));
      return this.#tell(response);
    }
    this.calls.push(`${who} ${method} ${id}`);
    this.#called(`${method} ${id}`);
    if (method === "PUT") this.settings.set(id, JSON.parse(body));
    else this.settings.delete(id);
    response.end(JSON.stringify({ online: !this.silent.has(id) }));
  }

  #tell(response: ServerResponse): void {
    if (this.#reports.length > 0) response.end(JSON.stringify(this.#reports.splice(0)));
  }
}
