import { request } from "node:http";
import type { ServerConnection } from "@kubewright/kube-apiserver";

interface ServedObject {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
}

export interface Target {
  readonly url: string;
  readonly token: string;
  /** Answers requests without a socket. Default: requests are sent to the URL. */
  readonly handle?: ServerConnection["handle"];
}

/**
 * Maintains a view of a collection by list and watch, over plain HTTP or in-process, with a minimal implementation: after a disconnect it continues from
 * the last seen version, after 410 it lists again.
 */
export class Watcher {
  readonly view = new Map<string, string>();
  readonly #target: Target;
  readonly #path: string;
  readonly #closing = new AbortController();
  readonly #done: Promise<void>;
  #cut = new AbortController();
  #version = "";
  /** Number of lists: the first, and one after each 410. */
  lists = 0;
  events = 0;

  constructor(target: Target, path: string) {
    this.#target = target;
    this.#path = path;
    this.#done = this.#run();
  }

  /** The version of the last event or list. */
  get version(): string {
    return this.#version;
  }

  /** Drops the connection, like a network failure. */
  cut(): void {
    this.#cut.abort(cutError);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.cut();
    await this.#done;
  }

  async #run(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      try {
        if (this.#version === "") await this.#list();
        await this.#watch();
      } catch (error) {
        if (!isCut(error)) throw error;
      }
    }
  }

  async #list(): Promise<void> {
    this.lists++;
    const text = await this.#read(this.#path, () => undefined);
    const list = JSON.parse(text) as {
      readonly items: readonly ServedObject[];
      readonly metadata: { readonly resourceVersion: string };
    };
    this.view.clear();
    for (const { metadata } of list.items) this.view.set(metadata.name, metadata.resourceVersion);
    this.#version = list.metadata.resourceVersion;
  }

  async #watch(): Promise<void> {
    const path = `${this.#path}?watch=true&allowWatchBookmarks=true&resourceVersion=${this.#version}`;
    let rest = "";
    await this.#read(path, (chunk) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#take(JSON.parse(line));
    });
  }

  #take({ type, object }: { readonly type: string; readonly object: ServedObject & { readonly code?: number } }): void {
    if (type === "ERROR") {
      if (object.code !== 410) throw new Error(`watch: ${JSON.stringify(object)}`);
      this.#version = "";
      return;
    }
    const { name, resourceVersion } = object.metadata;
    if (Number(resourceVersion) < Number(this.#version))
      throw new Error(`watch went back from ${this.#version} to ${resourceVersion}`);
    this.#version = resourceVersion;
    if (type === "BOOKMARK") return;
    this.events++;
    if (type === "ADDED" && this.view.has(name)) throw new Error(`${name} was added twice`);
    if (type !== "ADDED" && !this.view.has(name)) throw new Error(`${type} of ${name}, which does not exist`);
    if (type === "DELETED") this.view.delete(name);
    else this.view.set(name, resourceVersion);
  }

  async #read(path: string, onChunk: (chunk: string) => void): Promise<string> {
    this.#cut = new AbortController();
    const { handle } = this.#target;
    if (!handle) return this.#readFromSocket(path, onChunk, this.#cut.signal);
    const { body } = await handle({ method: "GET", path, headers: {}, signal: this.#cut.signal });
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of body) {
      const decoded = decoder.decode(chunk, { stream: true });
      if (path.includes("watch=true")) onChunk(decoded);
      else text += decoded;
    }
    return text;
  }

  #readFromSocket(path: string, onChunk: (chunk: string) => void, signal: AbortSignal): Promise<string> {
    return new Promise((resolve, reject) => {
      const sent = request(`${this.#target.url}${path}`, {
        agent: false,
        headers: { authorization: `Bearer ${this.#target.token}` },
      });
      signal.addEventListener("abort", () => sent.destroy(cutError), { once: true });
      let text = "";
      const isWatch = path.includes("watch=true");
      sent.on("error", reject);
      sent.on("response", (response) => {
        response.setEncoding("utf8").on("error", reject);
        response.on("data", (chunk: string) => {
          try {
            if (isWatch) onChunk(chunk);
            else text += chunk;
          } catch (error) {
            reject(error);
            sent.destroy();
          }
        });
        response.on("end", () => resolve(text));
      });
      sent.end();
    });
  }
}

const cutError: Error = Object.assign(new Error("the connection was cut"), { code: "ECONNRESET" });

const isCut = (error: unknown): boolean =>
  error instanceof Error && "code" in error && ["ECONNRESET", "ECONNREFUSED", "EPIPE"].includes(String(error.code));
