import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as plainRequest,
  type RequestOptions,
} from "node:http";
import { request as tlsRequest } from "node:https";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { NotSoError } from "../../command/errors.ts";
import { isLoopback } from "./reference.ts";

export interface HttpCall {
  readonly method: "GET" | "HEAD" | "POST" | "PUT";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: HttpBody | undefined;
}

interface HttpBody {
  /** In bytes. */
  readonly length: number;
  /** From the beginning; it is called once for each attempt. */
  readonly read: () => AsyncIterable<Uint8Array>;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Must be read, or destroyed. */
  readonly body: IncomingMessage;
}

/** A server that says nothing for so long has nothing to say. */
const idleMs = 60_000;

/**
 * One request, its body sent as it is read.
 *
 * @throws {NotSoError} if the server is not to be spoken to in plain text, does not answer, or goes silent
 */
export async function exchange({ method, url, headers, body }: HttpCall, signal: AbortSignal): Promise<HttpAnswer> {
  const { protocol, host, pathname } = new URL(url);
  if (protocol !== "https:" && !(protocol === "http:" && isLoopback(host)))
    throw new NotSoError(`${protocol}//${host}${pathname}: only https is spoken, but to this machine`);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const options: RequestOptions = {
    method,
    signal,
    timeout: idleMs,
    headers: { ...headers, ...(body ? { "content-length": body.length } : {}) },
  };
  const request = (protocol === "https:" ? tlsRequest : plainRequest)(url, options);
  const silent = new NotSoError(`${host}: said nothing for ${idleMs / 1_000} s (${method} ${pathname})`);
  request.on("timeout", () => request.destroy(silent));
  request.once("response", resolve);
  // Stays: a connection may break once more after the answer has come.
  request.on("error", reject);
  if (body) pipeline(Readable.from(body.read(), { objectMode: false }), request).catch(reject);
  else request.end();
  try {
    const answer = await promise;
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: answer };
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof NotSoError) throw cause;
    const said = cause instanceof Error ? cause.message || ("code" in cause ? cause.code : cause.name) : cause;
    throw new NotSoError(`${host}: cannot be reached: ${said}: --base oci:FOLDER and --output FILE need no network`, {
      cause,
    });
  }
}

/**
 * Where a server that was called at `from` sends its caller. What leads away from encryption is not followed, to this machine neither: what
 * listens there is not the server's to call.
 *
 * @throws {NotSoError} if it is no address, or none to be followed
 */
export function placeOf(location: string, from: string, who: string): URL {
  const place = URL.parse(location, from);
  if (!place) throw new NotSoError(`${who}: leads to ${JSON.stringify(location.slice(0, 200))}, which is no address`);
  if (from.startsWith("https:") && place.protocol !== "https:")
    throw new NotSoError(`${who}: leads to ${place.protocol}//${place.host}, which is not https`);
  return place;
}

/** What is not read: it may be endless, and a connection that still reads would keep the program from ending. */
export function discard({ headers, body }: HttpAnswer): void {
  if (headers["content-length"] === "0") body.resume();
  else body.destroy();
}

/** What was answered, as far as it is read. @throws {NotSoError} if it is longer */
export async function bytesOf({ body }: HttpAnswer, maxBytes: number, what: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      body.destroy();
      throw new NotSoError(`${what}: has more than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
