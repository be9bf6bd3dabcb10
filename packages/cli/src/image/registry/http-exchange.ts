import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as plainRequest,
  type RequestOptions,
} from "node:http";
import { request as tlsRequest } from "node:https";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CommandError } from "../../command/errors.ts";
import { isLoopback } from "./reference.ts";

export interface HttpCall {
  readonly method: "GET" | "HEAD" | "POST" | "PUT";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: HttpBody | undefined;
}

interface HttpBody {
  /** Length in bytes. */
  readonly length: number;
  /** Returns a stream of the whole body. Called once per attempt. */
  readonly read: () => AsyncIterable<Uint8Array>;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Response body. The caller must read or destroy it. */
  readonly body: IncomingMessage;
}

/** Maximum time without data from the server, in ms. */
const idleMs = 60_000;

/**
 * Sends one request and streams its body.
 *
 * @throws {CommandError} if the URL uses plain HTTP to another machine, or the server is unreachable or does not respond
 */
export async function exchange({ method, url, headers, body }: HttpCall, signal: AbortSignal): Promise<HttpResponse> {
  const { protocol, host, pathname } = new URL(url);
  if (protocol !== "https:" && !(protocol === "http:" && isLoopback(host)))
    throw new CommandError(`${protocol}//${host}${pathname}: only https is supported, except on this machine`);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const options: RequestOptions = {
    method,
    signal,
    timeout: idleMs,
    headers: { ...headers, ...(body ? { "content-length": body.length } : {}) },
  };
  const request = (protocol === "https:" ? tlsRequest : plainRequest)(url, options);
  const silent = new CommandError(`${host} sent no data for ${idleMs / 1_000} s (${method} ${pathname})`);
  request.on("timeout", () => request.destroy(silent));
  request.once("response", resolve);
  // Not removed: the connection may break again after the response has arrived.
  request.on("error", reject);
  if (body) pipeline(Readable.from(body.read(), { objectMode: false }), request).catch(reject);
  else request.end();
  try {
    const answer = await promise;
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: answer };
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof CommandError) throw cause;
    const message = cause instanceof Error ? cause.message || ("code" in cause ? cause.code : cause.name) : cause;
    throw new CommandError(
      `${host} cannot be reached: ${message}; to work without network access, use --base oci:FOLDER and --output FILE`,
      {
        cause,
      },
    );
  }
}

/**
 * Resolves a redirect from the server at `from`. Rejects redirects to plain HTTP, even on this machine, because a
 * server must not be able to make this program call a local service.
 *
 * @throws {CommandError} if the location is not a valid HTTPS URL
 */
export function placeOf(location: string, from: string, who: string): URL {
  const place = URL.parse(location, from);
  if (!place)
    throw new CommandError(`${who} redirects to ${JSON.stringify(location.slice(0, 200))}, which is not a valid URL`);
  if (from.startsWith("https:") && place.protocol !== "https:")
    throw new CommandError(`${who} redirects to ${place.protocol}//${place.host}, which is not https`);
  return place;
}

/** Discards a response body, which could be endless and keep the process alive. */
export function discard({ headers, body }: HttpResponse): void {
  if (headers["content-length"] === "0") body.resume();
  else body.destroy();
}

/** Reads a response body. @throws {CommandError} if it exceeds `maxBytes` */
export async function bytesOf({ body }: HttpResponse, maxBytes: number, what: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      body.destroy();
      throw new CommandError(`${what} is larger than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
