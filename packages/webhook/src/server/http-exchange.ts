import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { peerOf } from "@kubewright/certificates";
import type { Endpoint, EndpointParts, HttpCall, HttpResponse } from "../endpoint/endpoint.ts";
import type { WebhookMetrics } from "../endpoint/webhook-metrics.ts";
import { isTraced, tracedResponse } from "./traced-response.ts";

/** An endpoint with its metrics. */
export interface Route {
  readonly endpoint: Endpoint;
  readonly metrics: ReturnType<WebhookMetrics["forPath"]>;
}

/** Request and response objects of Node.js. Those of HTTP/1.1 have the same methods. */
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
  const { endpoint, metrics } = route;
  const gone = new AbortController();
  response.once("close", () => {
    // over HTTP/2, a response that never started is already "finished" here
    if (!response.writableEnded) gone.abort(new CallerGone("the caller closed the connection"));
  });
  const started = parts.clock.monotonic();
  metrics.inFlight.inc();
  let status = 500;
  try {
    const call = callOf(request, AbortSignal.any([gone.signal, stop]));
    const answer = await (isTraced()
      ? tracedResponse(request.method, endpoint, call, parts)
      : endpoint.answer(call, parts));
    status = answer.status;
    write(http, answer, parts);
  } catch (err) {
    parts.logger.error({ err, path: endpoint.path }, "a webhook did not respond");
    end(http);
  } finally {
    metrics.inFlight.dec();
    metrics.requests(String(status)).inc();
    metrics.latency.observe((parts.clock.monotonic() - started) / 1_000);
  }
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
