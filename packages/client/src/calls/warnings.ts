import type { ResponseHeaders } from "../connection/exchange.ts";

/** Handles one warning of the API server, for example about an unknown field or a deprecated API. @see client-go rest.WarningHandler */
export type WarningHandler = (warning: string) => void;

const warning = /\b299 \S+ "((?:[^"\\]|\\.)*)"/g;

/** Returns the texts of a response's Warning headers. @see apimachinery util/net ParseWarningHeaders */
export function warningsOf(headers: ResponseHeaders): string[] {
  const header = headers.warning;
  if (header === undefined) return [];
  const lines = typeof header === "string" ? [header] : header;
  return lines.flatMap((line) => [...line.matchAll(warning)].map((match) => (match[1] ?? "").replace(/\\(.)/g, "$1")));
}

/** Maximum number of remembered warnings: enough for one program, and no leak if all are different. */
const remembered = 1_000;

/** Returns a function that passes each text to the handler only once. */
export function onceEach(handler: WarningHandler): WarningHandler {
  const seen = new Set<string>();
  return (text) => {
    if (seen.has(text)) return;
    if (seen.size >= remembered) seen.clear();
    seen.add(text);
    handler(text);
  };
}
