import type { Kind } from "@kubewright/apimachinery";
import type { CallOptions } from "../contract/call-options.ts";
import type { SelectionOptions } from "../contract/selection-options.ts";
import { type RawWatchEvent, rawWatchBatches } from "../watch/watch.ts";
import { listQuery } from "./list-query.ts";
import type { ObjectCalls } from "./object-calls.ts";

/** Which objects a watch is about, where it begins, and how long it lasts. @see apimachinery meta/v1 ListOptions */
export interface WatchOptions extends SelectionOptions, CallOptions {
  /** Where in history to begin. Default: the present state as ADDED events, then changes. */
  readonly resourceVersion?: string | undefined;
  /** Default `"NotOlderThan"` with `sendInitialEvents`. */
  readonly resourceVersionMatch?: "NotOlderThan" | undefined;
  /** Ask for BOOKMARK events. Default true. */
  readonly bookmarks?: boolean | undefined;
  /** Streaming list: ADDED for all that is there, then a bookmark annotated `k8s.io/initial-events-end`. Default false. */
  readonly sendInitialEvents?: boolean | undefined;
  /** The server ends the watch after so long, rounded up to whole seconds. Default: the server's choice (30 to 60 minutes). */
  readonly timeoutMs?: number | undefined;
}

/** The changes of a kind, unparsed, those that arrived together in one array. An aborted watch just ends. */
export async function* watchBatches(
  calls: ObjectCalls,
  kind: Kind,
  options: WatchOptions,
): AsyncGenerator<readonly RawWatchEvent[], void, undefined> {
  const { namespace, signal, timeoutMs, sendInitialEvents, bookmarks = true } = options;
  const { resourceVersionMatch = "NotOlderThan" } = options;
  // Options of a list may be used for a watch, which has no pages.
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

/** What watches failed with before they were open. */
const unopened = new WeakSet<object>();

function noteUnopened(error: unknown): never {
  if (typeof error === "object" && error !== null) unopened.add(error);
  throw error;
}

/** Whether a watch failed with this because it was refused, rather than by an ERROR event of a watch that was open. */
export const isWatchRefusal = (error: unknown): boolean =>
  typeof error === "object" && error !== null && unopened.has(error);
