import type { ApiRequest } from "../request/api-request.ts";
import { sendHead, setWarnings } from "./responses.ts";

/**
 * Sends chunks as they arrive, over HTTP or as WebSocket messages. Reads the next chunk only once the client has
 * received the previous one, so that a slow client keeps at most one chunk in memory. Ends when there are no more
 * chunks, the client disconnects, or the server stops.
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
  response.flushHeaders?.(); // over HTTP/2, the headers have already been sent
  request.responseStarted();
  for await (const piece of pieces) {
    if (request.isOver) return;
    response.write(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength));
    await request.drained();
  }
  response.end();
}

/**
 * Reports whether the client requests a WebSocket. This is always false over HTTP/2, for which WebSockets are not
 * supported.
 */
export const asksForWebSocket = (request: ApiRequest): boolean =>
  request.response.upgrade !== undefined && request.header("upgrade")?.toLowerCase() === "websocket";

const base64Protocol = "base64.binary.k8s.io";
const protocols = ["binary.k8s.io", base64Protocol];

/** Upgrades the connection to a WebSocket and sends each chunk as a message.  @see streaming pkg/httpstream/wsstream Reader */
async function sendMessages(request: ApiRequest, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const { response } = request;
  const protocol = response.upgrade?.({ protocols, isBinary: (name) => name !== base64Protocol });
  if (protocol === undefined) return;
  request.responseStarted();
  response.write(""); // as in upstream, an empty first message shows that the stream has begun
  for await (const piece of pieces) {
    if (request.isOver) return;
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    response.write(protocol === base64Protocol ? bytes.toString("base64") : bytes);
    await request.drained();
  }
  response.end();
}
