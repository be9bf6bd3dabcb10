import { createHash } from "node:crypto";
import { stringifyJson } from "@kubewright/apimachinery";
import type { ServedResource } from "../../registry/resource.ts";
import type { ApiRequest } from "../api-request.ts";
import type { ResourceSet } from "../resource-set.ts";
import { sendText } from "../responses.ts";
import { openApiDocument } from "./document.ts";

interface Document {
  readonly text: Buffer;
  readonly hash: string;
}

interface Source {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly ServedResource[];
}

const yearMs = 365 * 24 * 3_600_000;

/** `/openapi/v3`: the index, and a document for each group and version. @see kube-openapi pkg/handler3 */
export class OpenApiEndpoint {
  readonly #sets: readonly ResourceSet[];
  readonly #now: () => number;
  readonly #startedMs: number;
  /** By the resources it describes: built once, on first request, while they are served. */
  readonly #documents = new WeakMap<ServedResource, Document & { readonly of: readonly ServedResource[] }>();

  constructor(sets: readonly ResourceSet[], now: () => number) {
    this.#sets = sets;
    this.#now = now;
    this.#startedMs = now();
  }

  /** Answers if the path is below `/openapi/v3`, else does nothing and says so. */
  handle(request: ApiRequest): boolean {
    const [openapi, v3, ...rest] = request.info.path.split("/").filter((part) => part !== "");
    if (openapi !== "openapi" || v3 !== "v3" || request.method !== "GET") return false;
    if (rest.length === 0) {
      this.#stamp(request);
      sendText(request, 200, stringifyJson({ paths: this.#index() }), "text/plain; charset=utf-8");
      return true;
    }
    const source = this.#sources().get(rest.join("/"));
    if (source) this.#send(request, source);
    else request.response.writeHead(404).end();
    return true;
  }

  #stamp({ response }: ApiRequest): void {
    response.setHeader("Last-Modified", new Date(this.#startedMs).toUTCString());
  }

  #index(): Record<string, { serverRelativeURL: string }> {
    const entries = [...this.#sources()].map(([path, source]) => {
      const url = `/openapi/v3/${path}?hash=${this.#document(source).hash}`;
      return [path, { serverRelativeURL: url }] as const;
    });
    return Object.fromEntries(entries);
  }

  #send(request: ApiRequest, source: Source): void {
    const { text, hash } = this.#document(source);
    const { response } = request;
    const asked = request.query.get("hash");
    if (asked !== null && asked !== hash) {
      response.writeHead(301, { Location: `${request.info.path}?hash=${hash}` });
      response.end();
      return;
    }
    this.#stamp(request);
    const etag = `"${hash}"`;
    response.setHeader("ETag", etag);
    response.setHeader("Vary", "Accept");
    if (asked !== null) {
      response.setHeader("Cache-Control", "public, immutable");
      response.setHeader("Expires", new Date(this.#now() + yearMs).toUTCString());
    }
    if (request.header("if-none-match") === etag) {
      response.writeHead(304);
      response.end();
      return;
    }
    sendText(request, 200, text, "application/json");
  }

  #document(source: Source): Document {
    const [first] = source.resources;
    const known = first && this.#documents.get(first);
    if (known && sameItems(known.of, source.resources)) return known;
    const text = Buffer.from(stringifyJson(openApiDocument(source, source.resources)));
    const hash = createHash("sha512").update(text).digest("hex").toUpperCase();
    const made = { text, hash, of: source.resources };
    if (first) this.#documents.set(first, made);
    return made;
  }

  /** By path: `api/v1`, `apis/apps/v1`. */
  #sources(): Map<string, Source> {
    const sources = new Map<string, Source>();
    for (const { group, versions } of this.#sets.flatMap((set) => set.groups()))
      for (const { version, resources } of versions) {
        const path = group === "" ? `api/${version}` : `apis/${group}/${version}`;
        sources.set(path, { group, version, resources });
      }
    return sources;
  }
}

const sameItems = (a: readonly ServedResource[], b: readonly ServedResource[]): boolean =>
  a.length === b.length && a.every((item, index) => item === b[index]);
