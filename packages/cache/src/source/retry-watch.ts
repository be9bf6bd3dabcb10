import { internalError, isForbidden, isStatusError, isUnauthorized } from "@kubewright/apimachinery";
import { isWatchRefusal } from "@kubewright/client";
import { type Clock, systemClock } from "@kubewright/clock";
import { type Logger, safeLogger, silentLogger } from "@kubewright/log";
import { versionOf } from "../store/object-meta.ts";
import type { ChangeEvent, ListerWatcher, SourceEvent } from "./lister-watcher.ts";

/** Options for {@link retryWatch}: the start version and the timing. */
export interface RetryWatchOptions {
  /** Version after which the watch starts. Must not be empty or `"0"`. */
  readonly resourceVersion: string;
  /** Signal that ends the watch without an error. */
  readonly signal?: AbortSignal | undefined;
  /** Minimum time between two watch requests, in milliseconds. Default 1,000. */
  readonly minRestartMs?: number | undefined;
  /** Clock. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Logger for failed watches, at debug level. Default: silent. */
  readonly logger?: Logger | undefined;
}

/**
 * Returns a watch that is reopened whenever it ends, at the last delivered version, so that events are neither repeated
 * nor lost. It ends when the signal aborts or the caller exits the loop.
 *
 * @throws {Error} immediately, if the version is empty or `"0"`
 * @throws {StatusError} in the loop, if retrying cannot help: after a 401, a 403, or a 410 that ended an open watch
 * @see client-go tools/watch RetryWatcher
 */
export function retryWatch<O>(
  source: Pick<ListerWatcher<O>, "watch">,
  options: RetryWatchOptions,
): AsyncGenerator<ChangeEvent<O>, void, undefined> {
  const { resourceVersion } = options;
  if (resourceVersion === "" || resourceVersion === "0")
    throw new Error(`initial RV "${resourceVersion}" is not supported due to issues with underlying WATCH`);
  return watchAgainAndAgain(source, options);
}

async function* watchAgainAndAgain<O>(
  source: Pick<ListerWatcher<O>, "watch">,
  options: RetryWatchOptions,
): AsyncGenerator<ChangeEvent<O>, void, undefined> {
  const { minRestartMs = 1_000, clock = systemClock, signal } = options;
  const logger = safeLogger(options.logger ?? silentLogger);
  let version = options.resourceVersion;
  while (!signal?.aborted) {
    const startedMs = clock.monotonic();
    let waitMs = 0;
    let isOpen = false;
    try {
      const events = source.watch({ resourceVersion: version, bookmarks: true, signal });
      isOpen = true;
      for await (const chunk of events) {
        for (const event of asBatch(chunk)) {
          if (signal?.aborted) return;
          const next = versionOf(event.object);
          if (next === "") throw internalError(new Error("retryWatcher: object doesn't support resourceVersion"));
          if (event.type !== "BOOKMARK") yield event;
          version = next;
        }
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (isFinal(error, isOpen && !isWatchRefusal(error))) throw error;
      logger.debug({ err: error, resourceVersion: version }, "watch failed; watching again");
      waitMs = isStatusError(error) ? (error.retryAfterMs ?? 0) : 0;
    }
    await clock.sleep(Math.max(waitMs, minRestartMs - (clock.monotonic() - startedMs)), signal);
  }
}

/**
 * Reports whether retrying is useless. A server that rejects a new watch with 410 may still be starting, so that watch is retried, as in
 * upstream.
 */
const isFinal = (error: unknown, wasOpen: boolean): boolean =>
  isForbidden(error) ||
  isUnauthorized(error) ||
  (isStatusError(error) && ((error.code === 410 && wasOpen) || error.message.includes("retryWatcher")));

function asBatch<O>(chunk: SourceEvent<O> | readonly SourceEvent<O>[]): readonly SourceEvent<O>[] {
  return "type" in chunk ? [chunk] : chunk;
}
