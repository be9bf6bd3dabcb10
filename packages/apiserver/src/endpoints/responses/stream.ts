import type { ApiRequest } from "../request/api-request.ts";
import { sendHead, setWarnings } from "./responses.ts";

/**
 * Sends bytes as they arrive, over HTTP or in WebSocket messages. Reads the next chunk only when the client has received the previous
 * one, so at most one chunk is in memory for a slow client. Ends when the chunks end, the client disconnects, or the server stops.
 *
 * @see apiserver pkg/endpoints/handlers/responsewriters StreamObject
 */
export async function sendStream(
  request: ApiRequest,
  contentType: string,
  pieces: AsyncIterable<Uint8Array>,
): Promise<void> {
  const { response } = request;
  setWarnings(request);
  if (asksForWebSocket(request)) return sendMessages(request, pieces);
  sendHead(request, 200, { "Content-Type": contentType });
  response.flushHeaders?.(); // HTTP/2 has sent them
  request.responseStarted();
  for await (const piece of pieces) {
    if (request.isOver) return;
    response.write(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength));
    await request.drained();
  }
  response.end();
}

/** Reports whether the client requests a WebSocket. This is not possible over HTTP/2, where such a request is handled like any other. */
export const asksForWebSocket = (request: ApiRequest): boolean =>
  request.response.upgrade !== undefined && request.header("upgrade")?.toLowerCase() === "websocket";

const base64Protocol = "base64.binary.k8s.io";
const protocols = ["binary.k8s.io", base64Protocol];

/** @see streaming pkg/httpstream/wsstream Reader */
async function sendMessages(request: ApiRequest, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const { response } = request;
  const protocol = response.upgrade?.({ protocols, isBinary: (name) => name !== base64Protocol });
  if (protocol === undefined) return;
  request.responseStarted();
  response.write(""); // upstream's first message is also empty, to show that the stream has begun
  for await (const piece of pieces) {
    if (request.isOver) return;
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    response.write(protocol === base64Protocol ? bytes.toString("base64") : bytes);
    await request.drained();
  }
  response.end();
}
