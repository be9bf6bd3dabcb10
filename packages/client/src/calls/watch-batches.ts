import type { Kind } from "@kubewright/apimachinery";
import type { CallOptions, SelectionOptions } from "../contract/reader.ts";
import { type RawWatchEvent, rawWatchBatches } from "../watch/watch.ts";
import { listQuery, type ObjectCalls } from "./object-calls.ts";

/** Selection, start and duration of a watch. @see apimachinery meta/v1 ListOptions */
export interface WatchOptions extends SelectionOptions, CallOptions {
  /** Resource version after which the watch begins. Default: the current state as ADDED events, then changes. */
  readonly resourceVersion?: string | undefined;
  /** Default `"NotOlderThan"` with `sendInitialEvents`. */
  readonly resourceVersionMatch?: "NotOlderThan" | undefined;
  /** Requests BOOKMARK events. Default true. */
  readonly bookmarks?: boolean | undefined;
  /** Requests a streaming list: ADDED for all existing objects, then a bookmark annotated `k8s.io/initial-events-end`. Default false. */
  readonly sendInitialEvents?: boolean | undefined;
  /**
   * Time in milliseconds after which the server ends the watch, rounded up to whole seconds. Default: the server's choice (30 to 60
   * minutes).
   */
  readonly timeoutMs?: number | undefined;
}

/** Yields the changes of a kind, unparsed; those that arrived together in one array. An aborted watch ends without an error. */
export async function* watchBatches(
  calls: ObjectCalls,
  kind: Kind,
  options: WatchOptions,
): AsyncGenerator<readonly RawWatchEvent[], void, undefined> {
  const { namespace, signal, timeoutMs, sendInitialEvents, bookmarks = true } = options;
  const { resourceVersionMatch = "NotOlderThan" } = options;
  // The options of a list may be used for a watch, which has no pages.
  const whole = { ...options, limit: undefined, continue: undefined };
  const query = {
    ...listQuery(sendInitialEvents ? { ...whole, resourceVersionMatch } : whole),
    watch: true,
    allowWatchBookmarks: bookmarks || undefined,
    sendInitialEvents,
    timeoutSeconds: timeoutMs === undefined ? undefined : Math.ceil(timeoutMs / 1_000),
  };
  try {
    const { chunks } = await calls.stream({ verb: "watch", kind, namespace, query, signal }).catch(noteUnopened);
    yield* rawWatchBatches(chunks);
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}

/** Errors of watches that failed before they were open. */
const unopened = new WeakSet<object>();

function noteUnopened(error: unknown): never {
  if (typeof error === "object" && error !== null) unopened.add(error);
  throw error;
}

/** Reports whether a watch failed with this error because it was refused, rather than because of an ERROR event on an open watch. */
export const isWatchRefusal = (error: unknown): boolean =>
  typeof error === "object" && error !== null && unopened.has(error);
