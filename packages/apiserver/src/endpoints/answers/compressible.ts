import { constants, gzipSync } from "node:zlib";
import type { ApiRequest } from "../request/api-request.ts";
import { sendHead, sendText, setWarnings } from "./responses.ts";

/** Answers up to this size are not worth compressing. */
const mostPlainBytes = 128 * 1024;
/** UTF-8 bytes of one unit of a string. */
const mostBytesPerUnit = 3;

/** A list, put together when it is sent. */
interface BodyInChunks {
  /** In bytes. */
  readonly length: number;
  chunks(): Iterable<Buffer>;
  whole(): Buffer;
}

/**
 * Answers with the text of an object or a list: compressed if it is large and the client can undo it.
 *
 * @see apiserver pkg/endpoints/handlers/responsewriters deferredResponseWriter
 */
export function sendCompressible(request: ApiRequest, code: number, text: string | Buffer, mediaType: string): void {
  const mayBeLarge = text.length * mostBytesPerUnit > mostPlainBytes;
  const body = mayBeLarge && acceptsGzip(request.header("accept-encoding")) ? asBuffer(text) : undefined;
  if (!body || body.length <= mostPlainBytes || request.response.headersSent) {
    sendText(request, code, body ?? text, mediaType);
    return;
  }
  request.response.setHeader("Content-Encoding", "gzip");
  request.response.appendHeader("Vary", "Accept-Encoding");
  sendText(request, code, gzipSync(body, { level: constants.Z_BEST_SPEED }), mediaType);
  request.answer = text; // what is written down of it is what was said
}

/** Answers with a list as {@link sendCompressible} does. One that goes out as it is, is never in memory as a whole. */
export async function sendInChunks(request: ApiRequest, body: BodyInChunks, mediaType: string): Promise<void> {
  const { response } = request;
  const isWanted = acceptsGzip(request.header("accept-encoding")) || request.recordsObjects;
  if (body.length <= mostPlainBytes || isWanted || response.headersSent) {
    sendCompressible(request, 200, body.whole(), mediaType);
    return;
  }
  setWarnings(request);
  sendHead(request, 200, { "Content-Type": mediaType, "Content-Length": body.length });
  for (const chunk of body.chunks()) {
    response.write(chunk);
    await request.drained();
    if (request.isOver) return;
  }
  request.answerBytes = body.length;
  response.end();
}

/** Weights and the asterisk mean nothing here, as upstream. */
const acceptsGzip = (accepted: string | undefined): boolean =>
  (accepted ?? "").split(",").some((encoding) => encoding.trim() === "gzip");

const asBuffer = (text: string | Buffer): Buffer => (typeof text === "string" ? Buffer.from(text) : text);
