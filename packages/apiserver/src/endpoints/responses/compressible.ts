import { pipeline, Readable } from "node:stream";
import { constants, createGzip, gzipSync } from "node:zlib";
import type { ApiRequest } from "../request/api-request.ts";
import { sendHead, sendText, setWarnings } from "./responses.ts";

/** Size up to which a response is sent without compression, because compressing so little data is not worthwhile. */
const maxPlainBytes = 128 * 1024;
/** Maximum number of UTF-8 bytes for one UTF-16 code unit of a string. */
const maxBytesPerUnit = 3;

/** Body of a list response, which is assembled while it is sent. */
interface BodyInChunks {
  /** Length of the whole body in bytes. */
  readonly length: number;
  chunks(): Iterable<Buffer>;
  whole(): Buffer;
}

/**
 * Sends an encoded object, compressed if it is large and the client supports compression.
 *
 * @see apiserver pkg/endpoints/handlers/responsewriters deferredResponseWriter
 */
export function sendCompressible(request: ApiRequest, code: number, text: string | Buffer, mediaType: string): void {
  const mayBeLarge = text.length * maxBytesPerUnit > maxPlainBytes;
  const body = mayBeLarge && acceptsGzip(request.header("accept-encoding")) ? asBuffer(text) : undefined;
  if (!body || body.length <= maxPlainBytes || request.response.headersSent) {
    sendText(request, code, body ?? text, mediaType);
    return;
  }
  request.response.setHeader("Content-Encoding", "gzip");
  request.response.appendHeader("Vary", "Accept-Encoding");
  sendText(request, code, gzipSync(body, { level: constants.Z_BEST_SPEED }), mediaType);
  request.recordResponse(text); // the audit log then contains exactly this text
}

/**
 * Sends a list in chunks. Compresses it under the same conditions as {@link sendCompressible}, unless many lists are
 * already being compressed. The chunks are sent only as fast as the client reads them, so the whole list is never in
 * memory.
 */
export async function sendInChunks(request: ApiRequest, body: BodyInChunks, mediaType: string): Promise<void> {
  const { response, unread } = request;
  if (body.length <= maxPlainBytes || response.headersSent) {
    sendText(request, 200, body.whole(), mediaType);
    return;
  }
  if (request.recordsObjects) request.recordResponse(body.whole());
  setWarnings(request);
  if (acceptsGzip(request.header("accept-encoding")) && unread.beginCompressor()) {
    response.setHeader("Content-Encoding", "gzip");
    response.appendHeader("Vary", "Accept-Encoding");
    sendHead(request, 200, { "Content-Type": mediaType });
    await sendPieces(request, compressed(body.chunks())).finally(() => unread.endCompressor());
  } else {
    sendHead(request, 200, { "Content-Type": mediaType, "Content-Length": body.length });
    await sendPieces(request, body.chunks());
  }
}

async function sendPieces(request: ApiRequest, pieces: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<void> {
  const { response } = request;
  let bytes = 0;
  for await (const piece of pieces) {
    if (request.isOver) return;
    response.write(piece);
    bytes += piece.length;
    await request.drained();
  }
  if (request.isOver) return;
  request.recordResponseBytes(bytes);
  response.end();
}

/** Compresses chunks in Node's thread pool, but only as fast as the client reads the result. */
function compressed(chunks: Iterable<Buffer>): AsyncIterable<Buffer> {
  const gzip = createGzip({ level: constants.Z_BEST_SPEED, chunkSize: 64 * 1024 });
  pipeline(Readable.from(chunks), gzip, ignoreEnd);
  return gzip;
}

/** Does nothing when the compression ends, because the reader of the compressed bytes handles its end and its errors. */
function ignoreEnd(): void {}

/** Wraps a complete body so that it can be sent like a list in chunks. */
export function inOnePiece(text: string | Buffer): BodyInChunks {
  const body = asBuffer(text);
  return { length: body.length, chunks: () => [body], whole: () => body };
}

/** Reports whether an `Accept-Encoding` header permits gzip. Like upstream, ignores weights and `*`. */
const acceptsGzip = (accepted: string | undefined): boolean =>
  (accepted ?? "").split(",").some((encoding) => encoding.trim() === "gzip");

const asBuffer = (text: string | Buffer): Buffer => (typeof text === "string" ? Buffer.from(text) : text);
