import type { IncomingHttpHeaders } from "node:http";
import type { Normaliser } from "./normaliser.ts";
import type { RequestStep } from "./sequence.ts";
import type { RawResponse } from "./wire.ts";

/** The compared parts of an answer. */
export interface ComparedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed if it is JSON; for a watch, the list of its lines. */
  readonly body?: unknown;
}

/** Headers that clients use. Headers with server-specific values are compared by presence. */
const compared = [
  "allow",
  "cache-control",
  "content-type",
  "location",
  "retry-after",
  "vary",
  "warning",
  "x-content-type-options",
];
const presentOnly = ["audit-id", "etag", "last-modified", "expires"];

export function normalise(normaliser: Normaliser, step: RequestStep, raw: RawResponse): ComparedResponse {
  normaliser.begin(step.id);
  const parsed = parseBody(step, raw);
  const body = step.pick && typeof parsed === "object" ? step.pick(parsed) : parsed;
  return {
    status: raw.status,
    headers: headersOf(normaliser, raw.headers),
    ...(body === undefined || body === ""
      ? {}
      : { body: typeof body === "string" ? normaliser.text(body) : normaliser.value(body) }),
  };
}

export function parseBody({ lines }: RequestStep, { headers, text }: RawResponse): unknown {
  const isJson = headers["content-type"]?.includes("json") ?? false;
  if ((!isJson && !text.startsWith("{")) || text === "") return text;
  try {
    if (lines === undefined) return JSON.parse(text);
    return text
      .split("\n")
      .filter((line) => line !== "")
      .slice(0, lines)
      .map((line): unknown => JSON.parse(line));
  } catch {
    return text;
  }
}

function headersOf(normaliser: Normaliser, headers: IncomingHttpHeaders): Record<string, string> {
  const values = compared.flatMap((name) => {
    const value = headers[name];
    return value === undefined ? [] : [[name, normaliser.text(String(value))]];
  });
  const present = presentOnly.filter((name) => headers[name] !== undefined).map((name) => [name, "<present>"]);
  return Object.fromEntries([...values, ...present].sort(([a = ""], [b = ""]) => (a < b ? -1 : 1)));
}
