import type { ResponseHeaders } from "../connection/exchange.ts";

/** Takes one warning of the API server: that a field is unknown, say, or an API deprecated. @see client-go rest.WarningHandler */
export type WarningHandler = (warning: string) => void;

const warning = /\b299 \S+ "((?:[^"\\]|\\.)*)"/g;

/** The texts of an answer's Warning headers. @see apimachinery util/net ParseWarningHeaders */
export function warningsOf(headers: ResponseHeaders): string[] {
  const header = headers.warning;
  if (header === undefined) return [];
  const lines = typeof header === "string" ? [header] : header;
  return lines.flatMap((line) => [...line.matchAll(warning)].map((match) => (match[1] ?? "").replace(/\\(.)/g, "$1")));
}

/** Enough to remember what a program is warned of, and no leak if every warning is another. */
const remembered = 1_000;

/** Passes each text on once. */
export function onceEach(handler: WarningHandler): WarningHandler {
  const seen = new Set<string>();
  return (text) => {
    if (seen.has(text)) return;
    if (seen.size >= remembered) seen.clear();
    seen.add(text);
    handler(text);
  };
}
