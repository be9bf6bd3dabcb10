import type { IncomingMessage } from "node:http";

/** The body as text; `undefined` if it is longer than that, or does not come whole. */
export async function bodyText(request: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request) {
      bytes += chunk.length;
      if (bytes > maxBytes) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return undefined; // whoever sent it went away
  }
  return Buffer.concat(chunks).toString("utf8").trim();
}
