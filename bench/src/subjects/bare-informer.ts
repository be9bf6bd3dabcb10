import { get, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { createGunzip } from "node:zlib";
import { cutManagedFields } from "./cut-managed-fields.ts";
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

/** The limit of eager parsing: lines, `JSON.parse` and a `Map`; no errors, no reconnection, one handler. */
export class BareInformer implements InformerSubject {
  readonly #url: string;
  readonly #isCut: boolean;
  readonly #pods = new Map<string, ReadPod>();

  constructor(url: string, { isCut }: { readonly isCut: boolean }) {
    this.#url = url;
    this.#isCut = isCut;
  }

  async start(handler: PodHandler): Promise<void> {
    const path = `${this.#url}/api/v1/pods`;
    const version = this.#isCut ? "" : await this.#list(path, handler);
    const query = this.#isCut
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
    const { type, object } = JSON.parse(this.#isCut ? cutManagedFields(line) : line.toString()) as BareEvent;
    if (type === "BOOKMARK") return;
    this.#pods.set(keyOf(object), object);
    if (type === "ADDED") handler.added(object);
    else handler.updated(object);
  }
}

const keyOf = ({ metadata }: ReadPod): string => `${metadata?.namespace}/${metadata?.name}`;

function answerOf(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { accept: "application/json", "accept-encoding": "gzip" } }, resolve).on("error", reject);
  });
}
