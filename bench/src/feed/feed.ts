import { configMapText } from "./config-map-text.ts";
import type { FeedObject } from "./feed-object.ts";
import { podText } from "./pod-text.ts";

const feedKinds = {
  pods: { kind: "Pod", textOf: podText },
  configmaps: { kind: "ConfigMap", textOf: configMapText },
} as const;
export type FeedResource = keyof typeof feedKinds;

/** Receives the bytes of a watch; resolves when there is room for more. */
export type Watcher = (bytes: Buffer) => Promise<void>;

/** The objects of one resource, and their watchers. */
export class Feed {
  readonly kind: string;
  readonly watchers = new Set<Watcher>();
  readonly #textOf: (object: FeedObject) => string;
  #objects: FeedObject[] = [];
  #version = 1_000_000;
  #next = 0;

  constructor(resource: FeedResource) {
    this.kind = feedKinds[resource].kind;
    this.#textOf = feedKinds[resource].textOf;
  }

  get version(): string {
    return String(this.#version);
  }

  get size(): number {
    return this.#objects.length;
  }

  /** Replaces all objects with the given number of new ones. */
  fill(count: number): void {
    this.#objects = Array.from({ length: count }, (_, index) => ({ index, version: ++this.#version, revision: 0 }));
    this.#next = 0;
  }

  /** Returns the text of an object, without kind and apiVersion in lists. */
  textAt(index: number, isInList: boolean): string {
    const object = this.#objects[index];
    const text = object ? this.#textOf(object) : "{}";
    return isInList ? `{${text.slice(text.indexOf('"metadata"'))}` : text;
  }

  /** Changes the next object, in a fixed order that changes all objects before any changes twice. */
  change(): string {
    const stride = 7_919;
    const object = this.#objects[(this.#next * stride) % this.#objects.length];
    this.#next += 1;
    if (!object) throw new Error("an empty feed has nothing to change");
    object.version = ++this.#version;
    object.revision += 1;
    return `{"type":"MODIFIED","object":${this.#textOf(object)}}\n`;
  }

  bookmark(annotations: Readonly<Record<string, string>> = {}): string {
    const metadata = { resourceVersion: this.version, creationTimestamp: null, annotations };
    return `${JSON.stringify({ type: "BOOKMARK", object: { kind: this.kind, apiVersion: "v1", metadata } })}\n`;
  }
}
