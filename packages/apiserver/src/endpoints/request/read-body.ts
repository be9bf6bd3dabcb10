import { badRequest, StatusError } from "@kubewright/apimachinery";
import type { RequestMessage } from "../../http/messages.ts";

const maxBodyBytes = 3 * 1024 * 1024;
/**
 * Maximum number of chunks that may be smaller, on average, than {@link leastBytesPerChunk}. Clients send larger chunks.
 * Each chunk costs time and memory, so that a body in chunks of one byte would cost hundreds of times its size.
 */
const maxSmallChunks = 1_000;
const leastBytesPerChunk = 256;

/**
 * Reads the whole body of a request.
 *
 * @throws {StatusError} 413 if the body is larger than 3 MiB, 400 if it arrives in very many small chunks
 */
export async function readBody(incoming: RequestMessage): Promise<Buffer> {
  await undefined; // a body that arrived together with the head becomes readable right after it
  const early = bodyThatCame(incoming);
  if (early) return early;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming) {
    chunks.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes > maxBodyBytes) throw tooLarge();
    if (chunks.length > maxSmallChunks && bytes < chunks.length * leastBytesPerChunk)
      throw badRequest("the request body arrives in chunks that are too small");
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

const tooLarge = (): StatusError =>
  new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `Request entity too large: limit is ${maxBodyBytes}`,
    reason: "RequestEntityTooLarge",
    code: 413,
  });

/** Returns the body if it arrived together with the head, so that no waiting is necessary. Over HTTP/1.1, most small bodies do. */
function bodyThatCame(incoming: RequestMessage): Buffer | undefined {
  const { headers, readableLength, stream } = incoming;
  if (stream || !readableLength || headers["content-length"] !== String(readableLength)) return undefined;
  if (readableLength > maxBodyBytes) return undefined;
  const body = incoming.read?.();
  incoming.resume?.(); // reads to the end, because the connection waits until everything is read
  return body instanceof Buffer ? body : undefined;
}
