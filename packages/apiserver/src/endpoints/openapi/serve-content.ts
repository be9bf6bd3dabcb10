import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { parseAccept } from "@kubewright/codec";
import type { ApiRequest } from "../request/api-request.ts";
import { sendHead, sendText } from "../responses/responses.ts";
import { encodeDocument } from "./gnostic-encoder.ts";
import type { Dialect, Json } from "./schema-models.ts";

/** A document in two encodings: JSON, and protobuf, which is created on demand. */
export class PublishedDocument {
  readonly text: Buffer;
  /** Hash of the document's JSON text. */
  readonly hash: string;
  readonly modifiedMs: number;
  readonly #dialect: Dialect;
  #protobuf: Buffer | undefined;
  readonly #gzipped = new Map<boolean, Buffer>();

  constructor(document: Json, dialect: Dialect, nowMs: number) {
    this.text = Buffer.from(JSON.stringify(document));
    this.hash = createHash("sha512").update(this.text).digest("hex").toUpperCase();
    this.modifiedMs = nowMs;
    this.#dialect = dialect;
  }

  get protobuf(): Buffer {
    this.#protobuf ??= encodeDocument(JSON.parse(this.text.toString()) as Json, this.#dialect);
    return this.#protobuf;
  }

  gzipped(isProtobuf: boolean): Buffer {
    const known = this.#gzipped.get(isProtobuf);
    if (known) return known;
    const made = gzipSync(isProtobuf ? this.protobuf : this.text);
    this.#gzipped.set(isProtobuf, made);
    return made;
  }
}

/**
 * Sends a document in the requested encoding. Responds with 304 if the client already has the current document, and
 * with 406 if the client accepts neither encoding.
 *
 * @see kube-openapi pkg/handler, pkg/handler3
 */
export function sendDocument(request: ApiRequest, document: PublishedDocument, dialect: Dialect): void {
  const { response } = request;
  const form = wantedForm(request.header("accept"), dialect);
  if (form === undefined) {
    sendHead(request, 406, { "Content-Length": 0 });
    response.end();
    return;
  }
  response.setHeader("ETag", `"${document.hash}"`);
  if (isUnchanged(request, document)) {
    sendHead(request, 304);
    response.end();
    return;
  }
  stampModified(request, document.modifiedMs);
  const isProtobuf = form === "protobuf";
  const contentType = isProtobuf
    ? `application/com.github.proto-openapi.spec.${dialect}.v1.0+protobuf`
    : "application/json";
  // like upstream, compress only the large v2 document
  if (dialect === "v2" && /\bgzip\b/.test(request.header("accept-encoding") ?? "")) {
    response.setHeader("Content-Encoding", "gzip");
    sendText(request, 200, document.gzipped(isProtobuf), contentType);
  } else sendText(request, 200, isProtobuf ? document.protobuf : document.text, contentType);
}

export function stampModified({ response }: ApiRequest, modifiedMs: number): void {
  response.setHeader("Last-Modified", new Date(modifiedMs).toUTCString());
}

/** Reports whether the client already has the current document. */
function isUnchanged(request: ApiRequest, { hash, modifiedMs }: PublishedDocument): boolean {
  const tags = request.header("if-none-match");
  if (tags !== undefined)
    return tags.split(",").some((tag) => ["*", `"${hash}"`].includes(tag.trim().replace(/^W\//, "")));
  return isUnmodified(request, modifiedMs);
}

/**
 * Reports whether the client's copy is up to date. Returns false if this is uncertain, because times in headers are
 * whole seconds and the document may have changed several times within a second.
 */
export function isUnmodified(request: ApiRequest, modifiedMs: number): boolean {
  const since = Date.parse(request.header("if-modified-since") ?? "");
  return !Number.isNaN(since) && Math.floor(modifiedMs / 1_000) * 1_000 < since;
}

function wantedForm(accept: string | undefined, dialect: Dialect): "json" | "protobuf" | undefined {
  const protobuf = [
    `application/com.github.proto-openapi.spec.${dialect}@v1.0+protobuf`,
    `application/com.github.proto-openapi.spec.${dialect}.v1.0+protobuf`,
  ];
  for (const clause of parseAccept(accept || "*/*")) {
    const type = `${clause.type}/${clause.subtype}`;
    if (type === "application/json" || type === "application/*" || type === "*/*") return "json";
    if (protobuf.includes(type)) return "protobuf";
  }
  return undefined;
}
