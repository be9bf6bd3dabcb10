import type { Query } from "../connection/connection.ts";
import type { ListOptions } from "../contract/reader.ts";
import { fieldSelectorText, labelSelectorText } from "./selector-text.ts";

/** Returns the query parameters of a list request. */
export function listQuery(options: ListOptions): Query {
  return {
    labelSelector: labelSelectorText(options.labels),
    fieldSelector: fieldSelectorText(options.fields),
    limit: options.limit,
    continue: options.continue,
    // A continue token contains its version; the server refuses both together.
    resourceVersion: options.continue ? undefined : options.resourceVersion,
    resourceVersionMatch: options.continue ? undefined : options.resourceVersionMatch,
  };
}
