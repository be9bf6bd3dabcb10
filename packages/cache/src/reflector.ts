import { compareResourceVersions, isExpired, isInternalError } from "@kubewright/apimachinery";
import { type Clock, systemClock } from "@kubewright/clock";
import { type Logger, silentLogger } from "@kubewright/log";
import { checkConsistency, InconsistentStateError } from "./consistency-check.ts";
import { initialStateOf } from "./initial-events.ts";
import { InitialEventsWarning } from "./initial-events-warning.ts";
import type { ListerWatcher, SourceEvent } from "./lister-watcher.ts";
import { versionOf } from "./object-meta.ts";
import { ReflectorBackoff } from "./reflector-backoff.ts";
import type { ReflectorOptions } from "./reflector-options.ts";
import type { ReflectorStore } from "./reflector-store.ts";
import { ResyncTimer } from "./resync-timer.ts";
import { RetryDeadline } from "./retry-deadline.ts";
import { SourceCheck } from "./source-check.ts";
import { StateLister } from "./state-lister.ts";
import { VersionMemory } from "./version-memory.ts";
import {
  isTooLargeResourceVersion,
  isTransportError,
  isWatchErrorRetriable,
  VeryShortWatchError,
  WentBackInTimeError,
} from "./watch-errors.ts";
import { StalledWatchError, WatchStream } from "./watch-stream.ts";

const leastWatchTimeoutMs = 300_000;

/**
 * Keeps a store equal to what the server has: the whole state first (streamed if possible, listed otherwise), then each change.
 * Whatever goes wrong, it begins again after a growing delay and never gives up.
 *
 * @see client-go tools/cache/reflector.go
 */
export class Reflector<O> {
  readonly name: string;
  readonly #source: ListerWatcher<O>;
  readonly #store: ReflectorStore<O>;
  readonly #options: ReflectorOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #check: SourceCheck;
  readonly #backoff: ReflectorBackoff;
  readonly #version = new VersionMemory();
  readonly #lister: StateLister<O>;
  readonly #useWatchList: boolean;
  readonly #minWatchTimeoutMs: number;
  #aliveMs: number | undefined;

  constructor(source: ListerWatcher<O>, store: ReflectorStore<O>, options: ReflectorOptions = {}) {
    this.#source = source;
    this.#store = store;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#check = new SourceCheck(options.kind);
    this.name = options.name ?? this.#check.description;
    this.#logger = (options.logger ?? silentLogger).child({ reflector: this.name });
    this.#backoff = new ReflectorBackoff(this.#clock, { random: options.random, ...options.backoff });
    this.#lister = new StateLister(source, this.#version, options.pageSize);
    this.#useWatchList = (options.useWatchList ?? true) && source.supportsWatchList !== false;
    this.#minWatchTimeoutMs = Math.max(options.minWatchTimeoutMs ?? 0, leastWatchTimeoutMs);
  }

  /** The version that the store has been brought to. Empty before the first state. */
  get lastSyncResourceVersion(): string {
    return this.#version.last;
  }

  /** `apps/v1, Kind=Deployment`, or `<unspecified>`. */
  get typeDescription(): string {
    return this.#check.description;
  }

  /** When something last came from the server, in the clock's monotonic milliseconds; `undefined` before the first time. */
  get aliveMs(): number | undefined {
    return this.#aliveMs;
  }

  /** Goes on until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.listAndWatch(signal);
      } catch (error) {
        if (!signal.aborted) this.#report(error);
      }
      if (!signal.aborted) await this.#backoff.wait(signal);
    }
  }

  /**
   * One cycle: gets the whole state, then watches until the state has to be got again.
   *
   * @throws what the list, or opening a watch, failed with, unless trying the watch again helps
   */
  async listAndWatch(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    let stream: WatchStream<O> | undefined;
    if (this.#useWatchList) {
      try {
        stream = await this.#watchList(signal);
      } catch (err) {
        if (err instanceof InconsistentStateError) throw err;
        this.#logger.debug({ err }, "streaming the first state failed, listing it");
      }
      if (signal.aborted) return stream?.close();
    }
    if (!stream) await this.#list(signal);
    if (signal.aborted) return;
    const { resyncMs = 0, shouldResync = () => true } = this.#options;
    const resyncs = new ResyncTimer(this.#clock, resyncMs, () => {
      if (shouldResync()) this.#store.resync?.();
    });
    try {
      await this.#watch(stream, signal);
    } finally {
      resyncs.stop();
    }
  }

  #report(error: unknown): void {
    const { onError } = this.#options;
    try {
      if (onError) onError(error);
      else if (isExpired(error)) this.#logger.debug({ err: error }, "watch closed");
      else this.#logger.error({ err: error }, "failed to watch");
    } catch (err) {
      this.#logger.error({ err }, "the watch error handler threw");
    }
  }

  async #list(signal: AbortSignal): Promise<void> {
    try {
      const listed = await this.#lister.list(signal);
      if (signal.aborted) return;
      this.#check.refuseTable(listed);
      const items = listed.items.filter((item) => this.#accepts(item));
      this.#replace(items, listed.metadata.resourceVersion ?? "");
    } catch (error) {
      if (!signal.aborted)
        throw new Error(`failed to list ${this.typeDescription}: ${textOf(error)}`, { cause: error });
    }
  }

  /** The stream whose initial events have made up the state; `undefined` if the signal aborted. */
  async #watchList(signal: AbortSignal): Promise<WatchStream<O> | undefined> {
    while (!signal.aborted) {
      const stream = this.#open(
        {
          resourceVersion: this.#version.forWatchList(),
          resourceVersionMatch: "NotOlderThan",
          sendInitialEvents: true,
        },
        signal,
      );
      const warning = new InitialEventsWarning(stream, this.#clock, this.#logger, this.#options.initialEventsWarningMs);
      try {
        const state = await initialStateOf(stream, (object) => this.#accepts(object));
        if (state) {
          this.#version.isUnavailable = false;
          if (this.#options.checkConsistency) await checkConsistency(this.#source, state, signal);
          this.#replace(state.objects, state.resourceVersion);
          return stream;
        }
        await stream.close();
        if (stream.isVeryShort && !signal.aborted) throw new VeryShortWatchError(this.name);
      } catch (error) {
        await stream.close();
        if (isWatchErrorRetriable(error)) await this.#backoff.wait(signal);
        else if (isExpired(error) || isTooLargeResourceVersion(error)) this.#version.isUnavailable = true;
        else throw error;
      } finally {
        warning.stop();
      }
    }
    return undefined;
  }

  async #watch(opened: WatchStream<O> | undefined, signal: AbortSignal): Promise<void> {
    const { maxInternalErrorRetryMs: maxMs = 0 } = this.#options;
    const internalErrors = new RetryDeadline({
      maxMs,
      minResetMs: 60_000,
      isRetriable: isInternalError,
      clock: this.#clock,
    });
    let stream = opened;
    while (!signal.aborted) {
      const isOpenedHere = stream === undefined;
      stream ??= this.#open({ resourceVersion: this.#version.last }, signal);
      const hasSyntheticStart = isOpenedHere && ["", "0"].includes(this.#version.last);
      let failure: unknown;
      try {
        await this.#follow(stream, hasSyntheticStart, signal);
      } catch (error) {
        failure = error;
      } finally {
        await stream.close();
        stream = undefined;
      }
      internalErrors.after(failure);
      if (signal.aborted || failure === undefined) continue;
      if (isInternalError(failure) && internalErrors.shouldRetry()) continue;
      if (!(await this.#canWatchOn(failure, signal))) return;
    }
  }

  /** Whether, after a failure, watching on from the last version will do. Otherwise the state has to be got again. */
  async #canWatchOn(failure: unknown, signal: AbortSignal): Promise<boolean> {
    if (failure instanceof WentBackInTimeError) {
      this.#version.isUnavailable = true;
      this.#logger.warn({ err: failure }, "the server went back in time");
      return false;
    }
    const isStalled = failure instanceof StalledWatchError;
    if (isStalled) this.#logger.warn({ err: failure }, "watch stalled, replacing it");
    else if (!isWatchErrorRetriable(failure)) {
      if (isExpired(failure)) this.#logger.debug({ err: failure }, "watch closed");
      else throw failure;
      return false;
    } else {
      this.#logger.debug({ err: failure }, "watch failed, trying again later");
      await this.#backoff.wait(signal);
    }
    // A restored server may know nothing of the version watched from, and would stay silent for ever.
    return !(isStalled || isTransportError(failure)) || !(await this.#hasGoneBack(signal));
  }

  async #hasGoneBack(signal: AbortSignal): Promise<boolean> {
    if (!this.#source.currentVersion || signal.aborted) return false;
    // A server that does not answer now is asked again by the next watch.
    const now = await this.#source.currentVersion(signal).catch(() => undefined);
    if (now === undefined || !isOlder(now, this.#version.last)) return false;
    this.#logger.warn({ seen: this.#version.last, now }, "the server went back in time");
    this.#version.isUnavailable = true;
    return true;
  }

  #open(request: Parameters<ListerWatcher<O>["watch"]>[0], signal: AbortSignal): WatchStream<O> {
    const random = this.#options.random ?? Math.random;
    const timeoutMs = this.#minWatchTimeoutMs * (1 + random());
    const { stallMs = 120_000 } = this.#options;
    return new WatchStream(
      this.#source,
      { ...request, bookmarks: true, timeoutMs },
      { clock: this.#clock, stallMs, signal },
    );
  }

  /** Applies events until the stream ends. */
  async #follow(stream: WatchStream<O>, hasSyntheticStart: boolean, signal: AbortSignal): Promise<void> {
    let isSynthetic = hasSyntheticStart;
    for (let batch = await stream.next(); batch; batch = await stream.next()) {
      this.#noteAlive();
      for (const event of batch) {
        // Objects that were there already come as additions, in any order, and say nothing about how far the watch is.
        if (isSynthetic && event.type !== "ADDED") isSynthetic = false;
        this.#apply(event, isSynthetic);
      }
    }
    if (stream.isVeryShort && !signal.aborted) throw new VeryShortWatchError(this.name);
  }

  #apply(event: SourceEvent<O>, isSynthetic: boolean): void {
    if (event.type !== "BOOKMARK" && !this.#accepts(event.object)) return;
    const version = event.type === "BOOKMARK" ? event.object.metadata.resourceVersion : versionOf(event.object);
    if (!isSynthetic && isOlder(version, this.#version.last))
      throw new WentBackInTimeError(this.name, this.#version.last, version);
    try {
      if (event.type === "ADDED") this.#store.add(event.object);
      else if (event.type === "MODIFIED") this.#store.update(event.object);
      else if (event.type === "DELETED") this.#store.delete(event.object);
      else this.#store.bookmark?.(version);
    } catch (err) {
      this.#logger.error({ err, type: event.type }, "the store refused a watch event");
    }
    if (!isSynthetic && version !== "") this.#version.last = version;
  }

  #replace(objects: readonly O[], resourceVersion: string): void {
    this.#noteAlive();
    this.#store.replace(objects, resourceVersion);
    this.#version.last = resourceVersion;
  }

  #accepts(object: O): boolean {
    const refusal = this.#check.refusalOf(object);
    if (refusal) this.#logger.error(refusal, "an object of an unexpected type was left out");
    return refusal === undefined;
  }

  #noteAlive(): void {
    this.#aliveMs = this.#clock.monotonic();
  }
}

const isOlder = (version: string, than: string): boolean => (compareResourceVersions(version, than) ?? 0) < 0;

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
