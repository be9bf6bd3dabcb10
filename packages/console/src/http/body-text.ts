import type { IncomingMessage } from "node:http";
import type { Clock } from "@kubewright/clock";

const patienceMs = 5_000;

/** Returns the body of a request as text, or `undefined` if it exceeds `maxBytes` or is not complete within 5 seconds. */
export async function bodyText(request: IncomingMessage, maxBytes: number, clock: Clock): Promise<string | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = clock.after(patienceMs, () => late.resolve(undefined), { unref: true });
  try {
    return await Promise.race([wholeText(request, maxBytes), late.promise]);
  } finally {
    timer.cancel();
  }
}

async function wholeText(request: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    // destroying the request would close the connection before the response is sent
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length;
      if (bytes > maxBytes) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return undefined; // the client disconnected
  }
  return Buffer.concat(chunks).toString("utf8");
}
