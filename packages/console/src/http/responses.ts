import type { ServerResponse } from "node:http";

/** Headers of every response. They forbid external resources, framing and caching. */
const headers = {
  "content-security-policy":
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cache-control": "no-store",
} as const;

/** Maximum time in milliseconds for which a response may make no progress. A response occupies memory until it is read. */
const patienceMs = 30_000;

export function respond(
  response: ServerResponse,
  status: number,
  type: string,
  body: string | Buffer,
  more = {},
): void {
  if (response.destroyed) return; // the client disconnected
  response.setTimeout(patienceMs, () => response.destroy());
  response.writeHead(status, { ...headers, "content-type": type, ...more }).end(body);
}

export const respondJson = (response: ServerResponse, value: unknown): void =>
  respond(response, 200, "application/json; charset=utf-8", JSON.stringify(value));

export const refuse = (response: ServerResponse, status: number, message: string, more = {}): void =>
  respond(response, status, "application/json; charset=utf-8", JSON.stringify({ message }), more);

/** Sends the headers of an event stream. */
export const beginStream = (response: ServerResponse): void =>
  void response.writeHead(200, { ...headers, "content-type": "text/event-stream; charset=utf-8" });
