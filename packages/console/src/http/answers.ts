import type { ServerResponse } from "node:http";

/** On every answer. Nothing is loaded from elsewhere, nothing frames the console, nothing of it is kept. */
const headers = {
  "content-security-policy":
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cache-control": "no-store",
} as const;

/** Who takes nothing of an answer for so long is let go, for it is kept in memory until they do. */
const patienceMs = 30_000;

export function answer(response: ServerResponse, status: number, type: string, body: string | Buffer, more = {}): void {
  if (response.destroyed) return; // whoever asked went away
  response.setTimeout(patienceMs, () => response.destroy());
  response.writeHead(status, { ...headers, "content-type": type, ...more }).end(body);
}

export const answerJson = (response: ServerResponse, value: unknown): void =>
  answer(response, 200, "application/json; charset=utf-8", JSON.stringify(value));

export const refuse = (response: ServerResponse, status: number, message: string, more = {}): void =>
  answer(response, status, "application/json; charset=utf-8", JSON.stringify({ message }), more);

/** The head of a stream of events. */
export const beginStream = (response: ServerResponse): void =>
  void response.writeHead(200, { ...headers, "content-type": "text/event-stream; charset=utf-8" });
