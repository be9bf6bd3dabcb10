import { stringifyJson } from "@kubewright/apimachinery";
import type { Moment } from "./server-state.ts";

interface Page {
  readonly body: Buffer;
  readonly isLast: boolean;
}

/** Returns the answer to a list request for a moment. Like API servers, it omits the type of items and sorts them by key. */
export function pageOf({ version, objects }: Moment, query: URLSearchParams, pagesListsAtZero: boolean): Page {
  const ignoresLimit = query.get("resourceVersion") === "0" && !pagesListsAtZero;
  const limit = ignoresLimit ? 0 : Number(query.get("limit") ?? 0);
  const after = query.get("continue")?.split("|")[1] ?? "";
  const keys = [...objects.keys()].filter((key) => key > after).sort();
  const shown = limit > 0 ? keys.slice(0, limit) : keys;
  const isLast = shown.length === keys.length;
  const items = shown.map((key) => ({ ...objects.get(key), apiVersion: undefined, kind: undefined }));
  const next = isLast ? {} : { continue: `${version}|${shown.at(-1)}`, remainingItemCount: keys.length - shown.length };
  const metadata = { resourceVersion: String(version), ...next };
  const body = Buffer.from(stringifyJson({ kind: "ConfigMapList", apiVersion: "v1", metadata, items }));
  return { body, isLast };
}
