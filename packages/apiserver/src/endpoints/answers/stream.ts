import type { ApiRequest } from "../request/api-request.ts";
import { sendHead, setWarnings } from "./responses.ts";

/**
 * Answers with bytes as they come. Takes the next piece once the client has taken what was written, so no more than one piece waits for a
 * slow one; ends when the pieces end, the client goes, or the server stops.
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
