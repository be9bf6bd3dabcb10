import type { Clock } from "@kubewright/clock";

/** Thrown if a response exceeds its maximum size. */
export class ResponseTooLarge extends Error {
  override readonly name = "ResponseTooLarge";
}

/**
 * Returns the body of a response as a string. Does not decompress the body, and stops reading as soon as it is too
 * long.
 *
 * @throws {ResponseTooLarge} if the response is larger than `maxBytes`
 */
export async function boundedText(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    // throwing from the loop closes the connection
    if (bytes > maxBytes) throw new ResponseTooLarge(`the response is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/**
 * Runs work with a time limit: the signal aborts when the limit is reached. The limit applies to the whole response, so
 * a slow server does not get extra time.
 */
export async function within<T>(clock: Clock, ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController();
  const timer = clock.after(ms, () => late.abort(new Error(`no complete response within ${ms} ms`)), { unref: true });
  try {
    return await work(late.signal);
  } finally {
    timer.cancel();
  }
}
