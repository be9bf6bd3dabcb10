import type { Clock } from "@kubewright/clock";

/** A server answered more than is taken from it. */
export class AnswerTooLarge extends Error {
  override readonly name = "AnswerTooLarge";
}

/**
 * The text of an answer, as it comes: never decompressed, and given up as soon as it is too long.
 *
 * @throws {AnswerTooLarge} beyond so many bytes
 */
export async function boundedText(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    // leaving the loop closes the connection
    if (bytes > maxBytes) throw new AnswerTooLarge(`the answer is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Aborts the signal after so long, from the first byte asked to the last one read: a server that drips has no more time than others. */
export async function within<T>(clock: Clock, ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController();
  const timer = clock.after(ms, () => late.abort(new Error(`no whole answer within ${ms} ms`)), { unref: true });
  try {
    return await work(late.signal);
  } finally {
    timer.cancel();
  }
}
