import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { peerOf } from "@kubewright/certificates";
import type { InProcessRequest, InProcessResponse } from "@kubewright/client";
import type { Endpoint, EndpointParts, HttpCall, HttpResponse } from "../endpoint/endpoint.ts";
import type { WebhookMetrics } from "../endpoint/webhook-metrics.ts";
import { isTraced, tracedResponse } from "./traced-response.ts";

/** An endpoint and its metrics. */
export interface Route {
  readonly endpoint: Endpoint;
  readonly metrics: ReturnType<WebhookMetrics["forPath"]>;
}

/** Node's request and response objects. HTTP/1.1 and HTTP/2 objects have the same methods. */
export interface HttpExchange {
  readonly request: Http2ServerRequest;
  readonly response: Http2ServerResponse;
}

/** Thrown if the caller closed the connection. */
class CallerGone extends Error {
  override readonly name = "CallerGone";
}

/** Handles one request. Never rejects; if no response is possible, it closes the connection. */
export async function exchange(
  http: HttpExchange,
  route: Route,
  parts: EndpointParts,
  stop: AbortSignal,
): Promise<void> {
  const { request, response } = http;
  const gone = new AbortController();
  response.once("close", () => {
    // over HTTP/2, a response that never started is already "finished" here
    if (!response.writableEnded) gone.abort(new CallerGone("the caller closed the connection"));
  });
  try {
    const call = callOf(request, AbortSignal.any([gone.signal, stop]));
    await answered(request.method, route, call, parts, (answer) => write(http, answer, parts));
  } catch (err) {
    parts.failures.error(parts.logger, { err, path: route.endpoint.path }, "a webhook did not respond");
    end(http);
  }
}

/** Lets an endpoint answer a call, sends the response, and records metrics. */
async function answered(
  method: string,
  { endpoint, metrics }: Route,
  call: HttpCall,
  parts: EndpointParts,
  send: (answer: HttpResponse) => void,
): Promise<void> {
  const started = parts.clock.monotonic();
  metrics.inFlight.inc();
  let status = 500;
  try {
    const answer = await (isTraced() ? tracedResponse(method, endpoint, call, parts) : endpoint.answer(call, parts));
    status = answer.status;
    send(answer);
  } finally {
    metrics.inFlight.dec();
    metrics.requests(String(status)).inc();
    metrics.latency.observe((parts.clock.monotonic() - started) / 1_000);
  }
}

/**
 * Handles a request from the same process.
 *
 * @throws {Error} with the code `ECONNRESET` if the endpoint fails
 * @throws the signal's reason if it aborts
 */
export async function exchangeInProcess(
  { method, path, headers, body, signal }: InProcessRequest,
  route: Route,
  parts: EndpointParts,
  stop: AbortSignal,
): Promise<InProcessResponse> {
  signal?.throwIfAborted();
  const { pathname, searchParams: query } = new URL(path, "https://webhook");
  const lowered = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const call: HttpCall = {
    path: pathname,
    query,
    headers: { ...Object.fromEntries(lowered), "content-length": String(body?.byteLength ?? 0) },
    body: onlyChunk(body),
    signal: signal ? AbortSignal.any([signal, stop]) : stop,
  };
  const { promise, resolve, reject } = Promise.withResolvers<InProcessResponse>();
  const onAbort = (): void => reject(signal?.reason);
  signal?.addEventListener("abort", onAbort, { once: true });
  const send = ({ status, body, retryAfterSeconds }: HttpResponse): void => {
    const retry = retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
    resolve(inProcessResponse(status, body === "" ? undefined : "application/json", body, retry));
  };
  answered(method, route, call, parts, send).catch((err: unknown) => {
    parts.logger.error({ err, path: route.endpoint.path }, "a webhook did not respond");
    reject(Object.assign(new Error("the webhook server closed the connection"), { code: "ECONNRESET" }));
  });
  try {
    return await promise;
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
}

/** Creates a response to a request from the same process. @param contentType absent if the body is empty */
export function inProcessResponse(
  status: number,
  contentType: string | undefined,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): InProcessResponse {
  const type = contentType === undefined ? {} : { "content-type": contentType };
  return { status, headers: { ...type, ...headers }, body: onlyChunk(Buffer.from(text)) };
}

async function* onlyChunk(chunk: Uint8Array | undefined): AsyncGenerator<Uint8Array> {
  if (chunk?.byteLength) yield chunk;
}

function callOf(request: Http2ServerRequest, signal: AbortSignal): HttpCall {
  const { pathname: path, searchParams: query } = new URL(request.url, "https://webhook");
  // closing the stream now would close the connection before the response is sent
  const body: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => request.iterator({ destroyOnReturn: false }),
  };
  return { path, query, headers: request.headers, body, signal, peer: peerOf(request.socket.remoteAddress) };
}

/** Time for a caller that is still sending to read the response. Closing immediately would discard it. */
const lingerMs = 500;
/** Maximum time that a caller may take to read a response. No API server waits longer. */
const takingMs = 30_000;

function write(http: HttpExchange, answer: HttpResponse, { bodies, clock }: EndpointParts): void {
  const { request, response } = http;
  if (response.destroyed || response.writableEnded) return;
  const { status, body, closes = false, retryAfterSeconds } = answer;
  const length = Buffer.byteLength(body);
  const lease = bodies.lease(peerOf(request.socket.remoteAddress));
  lease.charge(length); // a response waiting to be read counts like the request did
  const timeout = clock.after(takingMs, () => end(http), { unref: true });
  response.once("close", () => {
    timeout.cancel();
    lease.release();
  });
  response.writeHead(status, {
    ...(body === "" ? {} : { "content-type": "application/json" }),
    "content-length": length,
    ...(retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) }),
    ...(closes && request.httpVersionMajor === 1 ? { connection: "close" } : {}),
  });
  response.end(body, () => {
    if (closes) clock.after(lingerMs, () => end(http), { unref: true });
  });
}

/** Closes only the stream for HTTP/2, and the connection for HTTP/1.1. */
function end({ request, response }: HttpExchange): void {
  if (request.httpVersionMajor > 1) response.stream?.close();
  else request.socket.destroy(); // the request itself has ended once it has been read
}
