import { get, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { createGunzip } from "node:zlib";
import { cutManagedFields } from "./cut-managed-fields.ts";
import { HeldPod } from "./held-pod.ts";
import type { InformerSubject, PodHandler, ReadPod } from "./informer-subject.ts";

interface BareEvent {
  readonly type: string;
  readonly object: ReadPod;
}
interface BareList {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly ReadPod[];
}

const newline = 0x0a;
const quote = 0x22;

/** How an object is read: completely parsed; parsed without `managedFields`; or with parsed metadata and the rest as text. */
export type BareReading = "parsed" | "cut" | "held";

/**
 * The minimum that an informer must do: it splits lines, calls `JSON.parse`, and uses a `Map`. It has one handler, and
 * neither handles errors nor reconnects.
 */
export class BareInformer implements InformerSubject {
  readonly #url: string;
  readonly #reading: BareReading;
  readonly #pods = new Map<string, ReadPod>();

  constructor(url: string, reading: BareReading) {
    this.#url = url;
    this.#reading = reading;
  }

  async start(handler: PodHandler): Promise<void> {
    const path = `${this.#url}/api/v1/pods`;
    const version = this.#reading === "parsed" ? await this.#list(path, handler) : undefined;
    const query =
      version === undefined
        ? "sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan"
        : `allowWatchBookmarks=true&resourceVersion=${version}`;
    void this.#watch(await answerOf(`${path}?watch=true&${query}`), handler);
  }

  objects(): Iterable<ReadPod> {
    return this.#pods.values();
  }

  async #list(path: string, handler: PodHandler): Promise<string> {
    const answer = await answerOf(path);
    const body = await buffer(answer.headers["content-encoding"] === "gzip" ? answer.pipe(createGunzip()) : answer);
    const list = JSON.parse(body.toString()) as BareList;
    for (const pod of list.items) {
      this.#pods.set(keyOf(pod), pod);
      handler.added(pod);
    }
    return list.metadata.resourceVersion;
  }

  async #watch(answer: AsyncIterable<Buffer>, handler: PodHandler): Promise<void> {
    let begun: Buffer[] = [];
    for await (const chunk of answer) {
      let start = 0;
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
        const piece = chunk.subarray(start, end);
        this.#take(begun.length > 0 ? Buffer.concat([...begun, piece]) : piece, handler);
        begun = [];
        start = end + 1;
      }
      if (start < chunk.length) begun.push(chunk.subarray(start));
    }
  }

  #take(line: Buffer, handler: PodHandler): void {
    const { type, object } = this.#reading === "held" ? heldEvent(line) : this.#parsed(line);
    if (type === "BOOKMARK") return;
    this.#pods.set(keyOf(object), object);
    if (type === "ADDED") handler.added(object);
    else handler.updated(object);
  }

  #parsed(line: Buffer): BareEvent {
    return JSON.parse(this.#reading === "cut" ? cutManagedFields(line) : line.toString()) as BareEvent;
  }
}

/** The format of the feed: `{"type":"ADDED","object":…`. */
function heldEvent(line: Buffer): BareEvent {
  const type = line.toString("latin1", 9, line.indexOf(quote, 9));
  return { type, object: type === "BOOKMARK" ? {} : new HeldPod(line) };
}

const keyOf = ({ metadata }: ReadPod): string => `${metadata?.namespace}/${metadata?.name}`;

function answerOf(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { accept: "application/json", "accept-encoding": "gzip" } }, resolve).on("error", reject);
  });
}
