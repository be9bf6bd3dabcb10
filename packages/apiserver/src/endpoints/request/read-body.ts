import { StatusError } from "@kubewright/apimachinery";
import type { RequestMessage } from "../../http/messages.ts";

const maxBodyBytes = 3 * 1024 * 1024;

/**
 * Returns the whole body of a request.
 *
 * @throws {StatusError} 413 for more than 3 MiB
 */
export async function readBody(incoming: RequestMessage): Promise<Buffer> {
  await undefined; // a body that arrived with the head is read right after it
  const early = bodyThatCame(incoming);
  if (early) return early;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming) {
    chunks.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes > maxBodyBytes) throw tooLarge();
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

/** Returns a body that arrived with the head, as most small ones over HTTP/1.1 do, so that no wait is needed. */
function bodyThatCame(incoming: RequestMessage): Buffer | undefined {
  const { headers, readableLength, stream } = incoming;
  if (stream || !readableLength || headers["content-length"] !== String(readableLength)) return undefined;
  if (readableLength > maxBodyBytes) return undefined;
  const body = incoming.read?.();
  incoming.resume?.(); // read to its end, because the connection waits for that
  return body instanceof Buffer ? body : undefined;
}
