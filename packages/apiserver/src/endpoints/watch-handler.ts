import { once } from "node:events";
import { internalError, isStatusError, type StatusError } from "@kubewright/apimachinery";
import type { Timer } from "@kubewright/clock";
import { statusOfStorageError } from "../registry/storage-status.ts";
import type { StorageEvent } from "../storage/storage.ts";
import type { ApiRequest } from "./api-request.ts";
import { listOptions } from "./list-options.ts";
import { namespaceOf, type ResourceScope } from "./resource-scope.ts";
import { includeObject, negotiated } from "./respond.ts";
import { setWarnings } from "./responses.ts";
import { WatchFrames } from "./watch-frames.ts";

const shortestMs = 1_800_000;
const lastBookmarkMs = 2_000;

/**
 * Streams changes until the time is up, the client goes, or the reader is too slow.
 *
 * @see apiserver pkg/endpoints/handlers WatchServer
 */
export async function handleWatch(request: ApiRequest, scope: ResourceScope, name = ""): Promise<void> {
  const { resource, clock } = scope;
  const wanted = negotiated(request, resource);
  const include = wanted.view === "table" ? includeObject(request) : "Metadata";
  if (name !== "") request.query.set("fieldSelector", `metadata.name=${name}`);
  const options = listOptions(request.query, resource, true);
  const frames = new WatchFrames(resource, wanted, include, () => clock.now());
  const ending = new AbortController();
  let failure: StatusError | undefined;
  const { response } = request;
  setWarnings(request);
  response.writeHead(200, { "Content-Type": wanted.mediaType });
  response.flushHeaders();

  const watch = scope.store.watch({
    namespace: namespaceOf(request, scope),
    selection: options.selection,
    resourceVersion: options.resourceVersion,
    ...(options.sendInitialEvents === undefined ? {} : { sendInitialEvents: options.sendInitialEvents }),
    allowBookmarks: options.allowWatchBookmarks,
    signal: AbortSignal.any([request.signal, ending.signal]),
  });
  const remove = scope.watches.add({
    resource,
    end: () => ending.abort(),
    cut: () => response.destroy(),
    fail(error) {
      failure = error;
      ending.abort();
    },
  });
  const durationMs = options.timeoutSeconds ? options.timeoutSeconds * 1_000 : shortestMs * (1 + Math.random());
  const timers = new WatchTimers(
    scope,
    durationMs,
    () => watch.requestProgress(),
    () => ending.abort(),
  );

  try {
    for await (const event of watch) {
      response.cork();
      response.write(await frameOf(event, scope, frames));
      for (const more of watch.takeReady()) response.write(await frameOf(more, scope, frames));
      response.uncork();
      if (response.writableNeedDrain) await drained(request);
      if (request.signal.aborted) break;
    }
  } catch (error) {
    failure = watchFailure(error, scope);
  } finally {
    timers.cancel();
    remove();
  }
  if (failure) response.write(frames.error(failure.status));
  response.end();
}

async function frameOf(event: StorageEvent, scope: ResourceScope, frames: WatchFrames): Promise<Buffer> {
  if (event.type === "BOOKMARK") return frames.bookmark(event.resourceVersion, event.initialEventsEnd);
  const { converter } = scope.resource;
  return frames.change(event.type, converter ? await scope.store.served(event.object) : event.object);
}

function watchFailure(error: unknown, { resource }: ResourceScope): StatusError {
  const status = statusOfStorageError(error, { group: resource.group, resource: resource.resource }, "");
  return isStatusError(status) ? status : internalError(status);
}

async function drained({ response, signal }: ApiRequest): Promise<void> {
  await once(response, "drain", { signal }).catch(ignoreAbort);
}

/** The client is gone or the server stops: the loop sees that from the signal. */
function ignoreAbort(error: unknown): void {
  if (!(error instanceof Error && error.name === "AbortError")) throw error;
}

/** Bookmarks now and then and shortly before the end, and the end itself. */
class WatchTimers {
  readonly #scope: ResourceScope;
  #bookmark: Timer | undefined;
  readonly #others: readonly Timer[];

  constructor(scope: ResourceScope, durationMs: number, progress: () => void, end: () => void) {
    this.#scope = scope;
    const { clock } = scope;
    this.#others = [
      clock.after(Math.max(durationMs - lastBookmarkMs, durationMs / 2), progress, { unref: true }),
      clock.after(durationMs, end, { unref: true }),
    ];
    this.#repeat(progress);
  }

  cancel(): void {
    this.#bookmark?.cancel();
    for (const timer of this.#others) timer.cancel();
  }

  #repeat(progress: () => void): void {
    const next = (): void => {
      progress();
      this.#repeat(progress);
    };
    this.#bookmark = this.#scope.clock.after(this.#scope.bookmarkIntervalMs, next, { unref: true });
  }
}
