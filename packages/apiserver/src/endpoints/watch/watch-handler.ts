import {
  badRequest,
  compareResourceVersions,
  expired,
  internalError,
  isStatusError,
  type StatusError,
} from "@kubewright/apimachinery";
import type { Timer } from "@kubewright/clock";
import { notStreamed } from "@kubewright/codec";
import type { StorageEvent } from "@kubewright/storage";
import type { ServedResource } from "../../registry/resource.ts";
import { statusOfStorageError } from "../../registry/storage-status.ts";
import type { ApiRequest } from "../request/api-request.ts";
import { listOptions } from "../request/list-options.ts";
import { includeObject, negotiated } from "../responses/respond.ts";
import { sendHead, setWarnings } from "../responses/responses.ts";
import { asksForWebSocket } from "../responses/stream.ts";
import { namespaceOf, type ResourceScope } from "../scope/resource-scope.ts";
import { WatchFrames } from "./watch-frames.ts";
import { sendFrames } from "./watch-reader.ts";

const shortestSeconds = 1_800;
const lastBookmarkMs = 2_000;

/**
 * Handles a watch request: streams changes until the timeout is reached, the client disconnects, or the client falls too far behind.
 *
 * @see apiserver pkg/endpoints/handlers WatchServer
 */
export async function handleWatch(request: ApiRequest, scope: ResourceScope, name = ""): Promise<void> {
  const { resource, clock } = scope;
  const wanted = negotiated(request, resource);
  const include = wanted.view === "table" ? includeObject(request) : "Metadata";
  if (name !== "" && !request.query.get("fieldSelector")) request.query.set("fieldSelector", `metadata.name=${name}`);
  const options = listOptions(request.query, scope, true);
  if (name !== "" && options.selection.name !== name)
    throw badRequest("fieldSelector metadata.name doesn't match requested name");
  if (wanted.mediaType === "application/yaml") throw notStreamed();
  const frames = new WatchFrames(resource, wanted, include, () => clock.now(), scope.watches.frames);
  const stop = new AbortController();
  let failure: StatusError | undefined;
  const { response } = request;
  setWarnings(request);
  const isText = wanted.mediaType === "application/json";
  const isWebSocket = asksForWebSocket(request);
  if (!isWebSocket) {
    sendHead(request, 200, { "Content-Type": isText ? wanted.mediaType : `${wanted.mediaType};stream=watch` });
    response.flushHeaders?.(); // over HTTP/2, the headers have already been sent
  } else if (response.upgrade?.({ isBinary: () => !isText }) === undefined) return;
  request.responseStarted();

  const tooOld = tooOldFor(options, resource);
  if (tooOld) {
    response.write(frames.error(tooOld.status));
    response.end();
    return;
  }
  const watch = scope.store.watch({
    namespace: namespaceOf(request, scope),
    selection: options.selection,
    resourceVersion: options.resourceVersion,
    ...(options.sendInitialEvents === undefined ? {} : { sendInitialEvents: options.sendInitialEvents }),
    allowBookmarks: options.allowWatchBookmarks,
    signal: AbortSignal.any([request.signal, stop.signal]),
  });
  const remove = scope.watches.add({
    resource,
    end: () => stop.abort(),
    cut: () => request.cut(),
    fail(error) {
      failure = error;
      stop.abort();
    },
  });
  // use whole seconds, because Node keeps a separate list of timers for each duration
  const durationMs = 1_000 * (options.timeoutSeconds || Math.ceil(shortestSeconds * (1 + scope.random.number())));
  const timers = new WatchTimers(
    scope,
    durationMs,
    () => watch.requestProgress(),
    () => stop.abort(),
  );

  try {
    for await (const events of watch.batches()) {
      if (!(await sendFrames(framesOf(events, scope, frames), request, watch, { ...scope, isWebSocket }))) break;
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

/**
 * Returns the error for a watch that starts before the last change to the CRD. The error makes the client list the
 * objects again.
 */
function tooOldFor(
  { resourceVersion, sendInitialEvents }: ReturnType<typeof listOptions>,
  { watchableFrom }: ServedResource,
): StatusError | undefined {
  if (watchableFrom === undefined || sendInitialEvents) return undefined;
  const order = compareResourceVersions(resourceVersion, watchableFrom);
  if (order === undefined || order >= 0) return undefined;
  return expired(`too old resource version: ${resourceVersion} (${watchableFrom})`);
}

/** Yields the frames for the events of a watch. Frames are created only as fast as the client reads them. */
function* framesOf(
  events: readonly StorageEvent[],
  scope: ResourceScope,
  frames: WatchFrames,
): Generator<Buffer | Promise<Buffer>> {
  const { converter } = scope.resource;
  for (const event of events)
    if (event.type === "BOOKMARK") yield frames.bookmark(event.resourceVersion, event.initialEventsEnd);
    else if (!converter) yield frames.change(event.type, event.object);
    else yield Promise.resolve(scope.store.served(event.object)).then((object) => frames.change(event.type, object));
}

function watchFailure(error: unknown, { resource }: ResourceScope): StatusError {
  const status = statusOfStorageError(error, { group: resource.group, resource: resource.resource }, "");
  return isStatusError(status) ? status : internalError(status);
}

/** Timers of a watch: for periodic bookmarks, for the bookmark shortly before the end, and for the end itself. */
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
