import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/**
 * Simulates the part of the external system that the program uses. URLs may
 * have a prefix that identifies the caller.
 */
export class DeviceSimulator {
  readonly settings = new Map<string, unknown>();
  /** Devices that do not respond. */
  readonly silent = new Set<string>();
  /**
   * All calls in the order in which they arrived, such as `north PUT
   * default/lamp`.
   */
  readonly calls: string[] = [];
  /** True to respond to every call with 503. */
  isAway = false;
  readonly #called: (call: string) => void;
  readonly #server = createServer(
    (request, response) => void this.#answer(request, response),
  );
  readonly #reports: string[] = [];
  readonly #waiting = new Set<ServerResponse>();

  /** @param called called with each call */
  constructor(called: (call: string) => void = () => {}) {
    this.#called = called;
  }

  /** @param port 0 means any free port */
  async start(port = 0): Promise<string> {
    await once(this.#server.listen(port, "127.0.0.1"), "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Makes a device send a report. */
  report(id: string): void {
    this.#reports.push(id);
    for (const response of this.#waiting) this.#reportState(response);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { method, url = "" } = request;
    const [, who, what, ...rest] = url.split("/");
    const id = rest.join("/");
    const body = await text(request);
    if (this.isAway) return void response.writeHead(503).end();
    if (what === "reports") {
      this.#waiting.add(response);
      response.on("close", () => this.#waiting.delete(response));
      return this.#reportState(response);
    }
    this.calls.push(`${who} ${method} ${id}`);
    this.#called(`${method} ${id}`);
    if (method === "PUT") this.settings.set(id, JSON.parse(body));
    else this.settings.delete(id);
    response.end(JSON.stringify({ online: !this.silent.has(id) }));
  }

  #reportState(response: ServerResponse): void {
    if (this.#reports.length > 0)
      response.end(JSON.stringify(this.#reports.splice(0)));
  }
}
