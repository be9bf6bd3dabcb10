import { isExpired } from "@kubewright/apimachinery";
import { initialEventsEndAnnotation } from "@kubewright/client";
import type { Clock, Timer } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import { type FullList, ListPager } from "../source/list-pager.ts";
import type { ChangeEvent, ListerWatcher } from "../source/lister-watcher.ts";
import { metaIfAny, metaNamespaceKeyOf, versionOf } from "../store/object-meta.ts";
import { isTooLargeResourceVersion } from "./watch-errors.ts";
import { untilAborted, type WatchStream } from "./watch-stream.ts";

/**
 * Stores the resource versions that a reflector has received, and determines the version for the next list or watch.
 *
 * @see client-go tools/cache Reflector relistResourceVersion, rewatchResourceVersion
 */
export class VersionMemory {
  /** Version of the last list or event. Empty before the first one. */
  last = "";
  /** True if the server no longer has version {@link last}, or does not have it yet. The reflector then requests the newest version. */
  isUnavailable = false;

  /**
   * Returns the version to list from: `"0"` (any version) at first, then the last known version. Empty (the newest version) if the last
   * known version is unavailable.
   */
  forRelist(): string {
    if (this.isUnavailable) return "";
    return this.last === "" ? "0" : this.last;
  }

  /** Like {@link forRelist}, for a streaming list, which at first requests the newest version. */
  forWatchList(): string {
    return this.isUnavailable ? "" : this.last;
  }
}

/**
 * Lists the whole state, at least as new as the last known version. If the server does not have that version, lists the newest state.
 *
 * @see client-go tools/cache Reflector.list
 */
export class StateLister<O> {
  readonly #source: ListerWatcher<O>;
  readonly #version: VersionMemory;
  readonly #pageSize: number | undefined;
  /** True if the first list had several pages. The server then reads from storage anyway, so later lists may be paged as well. */
  #isPaginated = false;

  constructor(source: ListerWatcher<O>, version: VersionMemory, pageSize: number | undefined) {
    this.#source = source;
    this.#version = version;
    this.#pageSize = pageSize;
  }

  /** Lists all objects. @throws any error of the list request; the signal's reason */
  async list(signal: AbortSignal): Promise<FullList<O>> {
    const resourceVersion = this.#version.forRelist();
    const listed = await this.#listFrom(resourceVersion, signal).catch((error: unknown) => {
      if (!isExpired(error) && !isTooLargeResourceVersion(error)) throw error;
      this.#version.isUnavailable = true;
      return this.#listFrom(this.#version.forRelist(), signal);
    });
    if (resourceVersion === "0" && listed.isPaginated) this.#isPaginated = true;
    this.#version.isUnavailable = false;
    return listed;
  }

  #listFrom(resourceVersion: string, signal: AbortSignal): Promise<FullList<O>> {
    const isAtKnownVersion = resourceVersion !== "" && resourceVersion !== "0";
    // At a known version, the server can respond from memory, but only if the list has no limit.
    const pageSize = this.#pageSize ?? (isAtKnownVersion && !this.#isPaginated ? Number.POSITIVE_INFINITY : undefined);
    return new ListPager<O>((request) => this.#source.list(request), { pageSize }).list({ resourceVersion, signal });
  }
}

/** State that results from a stream's initial events. */
interface InitialState<O> {
  readonly objects: readonly O[];
  readonly resourceVersion: string;
}

/**
 * Reads a stream's initial events, up to the bookmark that ends them, and merges them into one state. Later events
 * remain in the stream.
 *
 * @param accepts returns true for objects to include
 * @returns `undefined` if the stream ended before the bookmark
 * @throws any error that the stream throws
 */
export async function initialStateOf<O>(
  stream: WatchStream<O>,
  accepts: (object: O) => boolean,
): Promise<InitialState<O> | undefined> {
  const objects = new Map<string, O>();
  for (let batch = await stream.next(); batch; batch = await stream.next()) {
    for (const [index, event] of batch.entries()) {
      if (event.type !== "BOOKMARK") {
        if (accepts(event.object)) fold(event, objects);
      } else if (metaIfAny(event.object)?.annotations?.[initialEventsEndAnnotation] === "true") {
        stream.unread(batch.slice(index + 1));
        return { objects: [...objects.values()], resourceVersion: versionOf(event.object) };
      }
    }
  }
  return undefined;
}

function fold<O>(event: ChangeEvent<O>, objects: Map<string, O>): void {
  const key = metaNamespaceKeyOf(event.object);
  if (event.type === "DELETED") objects.delete(key);
  else objects.set(key, event.object);
}

const defaultIntervalMs = 10_000;

/**
 * Warns repeatedly that the bookmark that ends a stream's initial events is overdue, until {@link stop} is called.
 *
 * @see client-go tools/cache initialEventsEndBookmarkTicker
 */
export class InitialEventsWarning {
  readonly #stream: Pick<WatchStream<unknown>, "openedMs" | "lastEventMs">;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #intervalMs: number;
  #timer: Timer | undefined;

  constructor(
    stream: Pick<WatchStream<unknown>, "openedMs" | "lastEventMs">,
    clock: Clock,
    logger: Logger,
    intervalMs = defaultIntervalMs,
  ) {
    this.#stream = stream;
    this.#clock = clock;
    this.#logger = logger;
    this.#intervalMs = intervalMs;
    this.#arm();
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #arm(): void {
    this.#timer = this.#clock.after(this.#intervalMs, () => this.#onTick(), { unref: true });
  }

  #onTick(): void {
    const { openedMs, lastEventMs } = this.#stream;
    const silentMs = this.#clock.monotonic() - (lastEventMs ?? openedMs);
    const what = "still waiting for the bookmark that ends the initial events";
    if (lastEventMs === undefined) this.#logger.warn({ sinceStartMs: silentMs }, `${what}, no event received`);
    else if (silentMs >= this.#intervalMs) this.#logger.warn({ sinceLastEventMs: silentMs }, what);
    this.#arm();
  }
}

/** Thrown if a streamed initial state differs from the server's list at the same resource version. */
export class InconsistentStateError extends Error {
  override readonly name = "InconsistentStateError";
  /** Keys of objects that differ or are missing from one of the two states. */
  readonly keys: readonly string[];

  constructor(resourceVersion: string, keys: readonly string[]) {
    super(`the streamed state differs from the list at resource version ${resourceVersion}: ${keys.join(", ")}`);
    this.keys = keys;
  }
}

/**
 * Compares a streamed state with a list at the same resource version.
 *
 * @throws {InconsistentStateError} if they differ
 * @throws any error that the list request throws
 * @see client-go tools/cache/reflector_data_consistency_detector.go, util/consistencydetector
 */
export async function checkConsistency<O>(
  source: ListerWatcher<O>,
  state: InitialState<O>,
  signal: AbortSignal,
): Promise<void> {
  const { resourceVersion } = state;
  const pager = new ListPager<O>((request) => source.list(request), { pageSize: Number.POSITIVE_INFINITY });
  const listed = await untilAborted(pager.list({ resourceVersion, resourceVersionMatch: "Exact", signal }), signal);
  if (!listed) return;
  const streamed = textsByKey(state.objects);
  const expected = textsByKey(listed.items);
  const keys = [...new Set([...streamed.keys(), ...expected.keys()])];
  const differing = keys.filter((key) => streamed.get(key) !== expected.get(key));
  if (differing.length > 0) throw new InconsistentStateError(resourceVersion, differing);
}

const textsByKey = (objects: readonly unknown[]): Map<string, string> =>
  new Map(objects.map((object) => [metaNamespaceKeyOf(object), inKeyOrder(object)]));

/** Returns JSON with sorted fields, so that equal values have identical text. */
const inKeyOrder = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
