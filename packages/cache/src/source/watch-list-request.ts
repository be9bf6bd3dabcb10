import type { ListRequest, WatchRequest } from "./lister-watcher.ts";

/**
 * Returns the streaming list that delivers the same objects as a list request; `undefined` if there is none.
 *
 * @see client-go util/watchlist PrepareWatchListOptionsFromListOptions
 */
export function watchListRequestFrom(request: ListRequest): WatchRequest | undefined {
  const { resourceVersion = "", resourceVersionMatch, limit = 0, signal } = request;
  if (request.continue || resourceVersionMatch === "Exact") return undefined;
  if (resourceVersionMatch === "NotOlderThan" && resourceVersion === "") return undefined;
  if (limit > 0 && resourceVersion !== "0") return undefined; // servers ignore the limit of a list at "0"
  return {
    resourceVersion,
    resourceVersionMatch: "NotOlderThan",
    bookmarks: true,
    sendInitialEvents: true,
    ...(signal ? { signal } : {}),
  };
}
