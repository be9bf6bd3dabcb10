import { apiVersionOf, type GroupVersionKind, gvkKey, isExpired, isInternalError } from "@kubewright/apimachinery";
import { Backoff, type Clock, systemClock, systemRandom, type Timer } from "@kubewright/clock";
import { errorText, type Logger, safeLogger, silentLogger } from "@kubewright/log";
import type { ListerWatcher, ListPage, SourceEvent } from "../source/lister-watcher.ts";
import type { ReflectorStore } from "../store/delta-fifo.ts";
import { isOlder, metaIfAny, versionOf } from "../store/object-meta.ts";
import {
  checkConsistency,
  InconsistentStateError,
  InitialEventsWarning,
  initialStateOf,
  StateLister,
  VersionMemory,
} from "./initial-state.ts";
import { ReflectorBackoff, type ReflectorBackoffOptions, RetryDeadline, WatchErrorReports } from "./retrying.ts";
import {
  isTooLargeResourceVersion,
  isTransportError,
  isWatchErrorRetriable,
  VeryShortWatchError,
  WentBackInTimeError,
} from "./watch-errors.ts";
import { StalledWatchError, untilAborted, WatchStream } from "./watch-stream.ts";

/** Options for a {@link Reflector}. Times are in milliseconds of its clock. @see client-go tools/cache ReflectorOptions */
export interface ReflectorOptions {
  /** Name for messages. Default: the kind, as in `apps/v1, Kind=Deployment`. */
  readonly name?: string | undefined;
  /** Kind of the objects. Objects of other kinds are skipped and logged. Default: any kind is accepted. */
  readonly kind?: GroupVersionKind | undefined;
  /** True to stream the initial state instead of listing it, if the source supports streaming. Default true. */
  readonly useWatchList?: boolean | undefined;
  /** True to compare each streamed initial state with a list at the same version, and to throw if they differ. For tests. Default false. */
  readonly checkConsistency?: boolean | undefined;
  /**
   * Number of objects per list page; `Infinity` disables paging. Default 500, or `Infinity` if this lets the server respond from memory.
   */
  readonly pageSize?: number | undefined;
  /**
   * Minimum timeout of a watch. Each watch requests a random timeout between this value and twice this value. Default and minimum 5
   * minutes.
   */
  readonly minWatchTimeoutMs?: number | undefined;
  /** Time without an event or bookmark after which a watch is replaced. Servers send a bookmark about once a minute. Default 2 minutes. */
  readonly stallMs?: number | undefined;
  /** Time during which a watch is retried after internal server errors without listing again. Default 0. */
  readonly maxInternalErrorRetryMs?: number | undefined;
  /** Interval between resyncs. Default 0: no resyncs. */
  readonly resyncMs?: number | false | undefined;
  /** Called at the end of each resync interval; returns true to resync the store now. Default: always. */
  readonly shouldResync?: (() => boolean) | undefined;
  /** Delays after failed cycles. By default, they double from 800 ms to 30 s, with jitter. */
  readonly backoff?: ReflectorBackoffOptions | undefined;
  /** Called with each error that ended a cycle. The next cycle follows after a delay. Default: the error is logged. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Interval for logging a warning while a streamed initial state is incomplete. Default 10 s. */
  readonly initialEventsWarningMs?: number | undefined;
  /** Clock. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Logger. Default: silent. */
  readonly logger?: Logger | undefined;
  /** Source of numbers in [0, 1). Default: the system's. */
  readonly random?: (() => number) | undefined;
}

const leastWatchTimeoutMs = 300_000;

/**
 * Keeps a store in sync with the server's state. It fetches the initial state (streamed if possible, otherwise listed),
 * then applies each change. After a failure, it starts over after an increasing delay. It never gives up.
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
  /** Delays between watches that end immediately. */
  readonly #shortBackoff: Backoff;
  readonly #version = new VersionMemory();
  readonly #lister: StateLister<O>;
  readonly #errors: WatchErrorReports;
  readonly #useWatchList: boolean;
  readonly #minWatchTimeoutMs: number;
  readonly #resyncMs: number;
  #aliveMs: number | undefined;
  /** Aborts the current cycle when it must start over. */
  #cycle = new AbortController();
  #isIdle = false;
  /** True if the previous watch was short. */
  #isAfterShort = false;

  constructor(source: ListerWatcher<O>, store: ReflectorStore<O>, options: ReflectorOptions = {}) {
    this.#source = source;
    this.#store = store;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#check = new SourceCheck(options.kind);
    this.name = options.name ?? this.#check.description;
    this.#logger = safeLogger(options.logger ?? silentLogger).child({ reflector: this.name });
    this.#errors = new WatchErrorReports({ logger: this.#logger, onError: options.onError });
    this.#backoff = new ReflectorBackoff(this.#clock, {
      ...options.backoff,
      random: options.backoff?.random ?? options.random,
    });
    this.#shortBackoff = new Backoff({
      baseMs: 50,
      maxMs: 30_000,
      factor: 2,
      jitter: 1,
      random: options.random ?? systemRandom.number,
    });
    this.#lister = new StateLister(source, this.#version, options.pageSize);
    this.#useWatchList = (options.useWatchList ?? true) && source.supportsWatchList !== false;
    this.#resyncMs = resyncPeriod(options.resyncMs);
    this.#minWatchTimeoutMs = Math.max(options.minWatchTimeoutMs ?? 0, leastWatchTimeoutMs);
  }

  /** Resource version of the store. Empty before the initial state. */
  get lastSyncResourceVersion(): string {
    return this.#version.last;
  }

  /** The kind as `apps/v1, Kind=Deployment`, or `<unspecified>`. */
  get typeDescription(): string {
    return this.#check.description;
  }

  /**
   * Time of the server's last response, in monotonic milliseconds of the clock; `undefined` before the first response. While the source
   * selects no objects, the current time.
   */
  get aliveMs(): number | undefined {
    return this.#isIdle ? this.#clock.monotonic() : this.#aliveMs;
  }

  /**
   * The most recent error that interrupted listing or watching, or the response with which the server deferred the
   * current request. `undefined` once the server has responded normally again.
   */
  get lastError(): unknown {
    return this.#source.retryError ?? this.#errors.last;
  }

  /** Lists and watches until the signal aborts. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#cycle = new AbortController();
      const cycle = AbortSignal.any([signal, this.#cycle.signal]);
      try {
        await this.listAndWatch(cycle);
      } catch (error) {
        if (!cycle.aborted) this.#errors.report(error);
      }
      if (!cycle.aborted) await this.#backoff.wait(cycle);
    }
  }

  /** Makes {@link run} fetch the whole state again now, because the source selects other objects. */
  restart(): void {
    this.#cycle.abort();
  }

  /**
   * Runs one cycle: fetches the whole state, then watches until the state must be fetched again.
   *
   * @throws {Error} if listing failed; `cause` is the original error
   * @throws the error of a watch, unless another watch may succeed
   */
  async listAndWatch(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    if (this.#source.begin?.() === false) return this.#idle(signal);
    let stream: WatchStream<O> | undefined;
    if (this.#useWatchList) {
      try {
        stream = await this.#watchList(signal);
      } catch (err) {
        if (err instanceof InconsistentStateError) throw err;
        this.#logger.debug({ err }, "failed to stream the initial state; listing it");
      }
      if (signal.aborted) return stream?.close();
    }
    if (!stream) await this.#list(signal);
    if (signal.aborted) return;
    const resyncs = new ResyncTimer(this.#clock, this.#resyncMs, () => this.#resync());
    try {
      await this.#watch(stream, signal);
    } finally {
      resyncs.stop();
    }
  }

  /** Empties the store, and waits until the signal aborts. */
  async #idle(signal: AbortSignal): Promise<void> {
    this.#replace([], this.#version.last);
    this.#errors.clear();
    this.#isIdle = true;
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    this.#isIdle = false;
  }

  #resync(): void {
    const { shouldResync = () => true } = this.#options;
    try {
      if (shouldResync()) this.#store.resync?.();
    } catch (err) {
      this.#logger.error({ err }, "the store failed to resync");
    }
  }

  async #list(signal: AbortSignal): Promise<void> {
    try {
      const listed = await untilAborted(this.#lister.list(signal), signal);
      if (signal.aborted || !listed) return;
      this.#noteAlive();
      this.#check.refuseTable(listed);
      const items = listed.items.filter((item) => this.#accepts(item));
      this.#replace(items, listed.metadata.resourceVersion ?? "");
    } catch (error) {
      if (!signal.aborted)
        throw new Error(`failed to list ${this.typeDescription}: ${errorText(error)}`, { cause: error });
    }
  }

  /**
   * Streams the state into the store.
   *
   * @returns the stream, which continues with the changes, or `undefined` if the signal aborted
   */
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
          this.#noteAlive();
          this.#version.isUnavailable = false;
          if (this.#options.checkConsistency) await checkConsistency(this.#source, state, signal);
          this.#replace(state.objects, state.resourceVersion);
          return stream;
        }
        await stream.close();
        if (!stream.isEstablished && !signal.aborted) throw new VeryShortWatchError(this.name);
        await this.#afterShort(stream, signal);
      } catch (error) {
        await stream.close();
        if (isWatchErrorRetriable(error)) {
          if (!signal.aborted) this.#errors.retried(error);
          await this.#backoff.wait(signal);
        } else if (isExpired(error) || isTooLargeResourceVersion(error)) {
          if (this.#version.isUnavailable) await this.#backoff.wait(signal);
          this.#version.isUnavailable = true;
        } else throw error;
      } finally {
        warning.stop();
      }
    }
    return undefined;
  }

  async #watch(opened: WatchStream<O> | undefined, signal: AbortSignal): Promise<void> {
    const { maxInternalErrorRetryMs: maxMs = 0 } = this.#options;
    const clock = this.#clock;
    const internalErrors = new RetryDeadline({ maxMs, minResetMs: 60_000, isRetriable: isInternalError, clock });
    let next = opened;
    while (!signal.aborted) {
      const stream = next ?? this.#open({ resourceVersion: this.#version.last }, signal);
      const isSynthetic = next === undefined && ["", "0"].includes(this.#version.last);
      next = undefined;
      const failure = await this.#follow(stream, isSynthetic, signal);
      internalErrors.after(failure);
      if (stream.isEstablished) await this.#afterShort(stream, signal);
      const isRetried = failure === undefined || (isInternalError(failure) && internalErrors.shouldRetry());
      if (isRetried && !stream.isEstablished) await this.#backoff.wait(signal);
      if (signal.aborted || isRetried) continue;
      if (isExpired(failure) && !stream.isEstablished) throw failure;
      if (!stream.isEstablished && isWatchErrorRetriable(failure)) this.#errors.retried(failure);
      if (!(await this.#canWatchOn(failure, stream.isEstablished, signal))) return;
    }
  }

  /**
   * Waits if necessary after a watch that ended within a second, because a server or proxy may end every watch early. After one short
   * watch, the next one is opened immediately. After repeated ones, it is opened after increasing delays.
   */
  async #afterShort(stream: WatchStream<O>, signal: AbortSignal): Promise<void> {
    const isRepeated = stream.isShort && this.#isAfterShort;
    this.#isAfterShort = stream.isShort;
    if (isRepeated) await this.#clock.sleep(this.#shortBackoff.next(), signal);
    else this.#shortBackoff.reset();
  }

  /** Applies events until the stream ends, then closes it. @returns the stream's error, if it failed */
  async #follow(stream: WatchStream<O>, hasSyntheticStart: boolean, signal: AbortSignal): Promise<unknown> {
    let isSynthetic = hasSyntheticStart;
    try {
      for (let batch = await stream.next(); batch; batch = await stream.next()) {
        this.#noteAlive();
        isSynthetic = this.#apply(batch, isSynthetic);
      }
      return stream.isEstablished || signal.aborted ? undefined : new VeryShortWatchError(this.name);
    } catch (error) {
      return error;
    } finally {
      await stream.close();
    }
  }

  /** Reports whether an object is of the expected kind. Logs objects that are not. */
  #accepts(object: O): boolean {
    const refusal = this.#check.refusalOf(object);
    if (refusal) this.#logger.error(refusal, "skipped an object of an unexpected type");
    return refusal === undefined;
  }

  /** Replaces the whole content of the store. */
  #replace(objects: readonly O[], resourceVersion: string): void {
    this.#store.replace(objects, resourceVersion, isOlder(resourceVersion, this.#version.last));
    this.#version.last = resourceVersion;
    this.#source.queued?.();
  }

  /**
   * Applies events in order.
   *
   * @param isSynthetic true while the watch sends objects that existed before it began. They arrive as additions in any order, so their
   *   versions do not indicate the watch's position.
   * @returns true if the watch may still send such objects
   * @throws {WentBackInTimeError} for an event that is older than a previous one; the events before it have been applied
   */
  #apply(events: readonly SourceEvent<O>[], isSynthetic: boolean): boolean {
    const version = this.#version;
    let isStillSynthetic = isSynthetic;
    for (const event of events) {
      if (isStillSynthetic && event.type !== "ADDED") isStillSynthetic = false;
      if (event.type !== "BOOKMARK" && !this.#accepts(event.object)) continue;
      const now = versionOf(event.object);
      const isBack = !isStillSynthetic && isOlder(now, version.last);
      // Some servers send a deleted object with its version from before the deletion.
      if (isBack && event.type !== "DELETED") throw new WentBackInTimeError(this.name, version.last, now);
      try {
        if (event.type === "ADDED") this.#store.add(event.object);
        else if (event.type === "MODIFIED") this.#store.update(event.object);
        else if (event.type === "DELETED") this.#store.delete(event.object);
        else this.#store.bookmark?.(now);
      } catch (err) {
        const { namespace, name } = metaIfAny(event.object) ?? {};
        this.#logger.error({ err, type: event.type, namespace, name }, "the store rejected a watch event");
      }
      if (!isStillSynthetic && !isBack && now !== "") version.last = now;
    }
    return isStillSynthetic;
  }

  /**
   * Decides how to continue after a watch failed, and waits if necessary. Returns true to watch again from the last version, or false to
   * list the state again.
   *
   * @param wasEstablished true if the watch had delivered something or had been open for a while
   * @throws the failure, if neither watching again nor listing again can help
   */
  async #canWatchOn(failure: unknown, wasEstablished: boolean, signal: AbortSignal): Promise<boolean> {
    if (isExpired(failure)) {
      this.#logger.debug({ err: failure }, "watch closed");
      return false;
    }
    const isStalled = failure instanceof StalledWatchError;
    const isBack = failure instanceof WentBackInTimeError;
    if (!isStalled && !isBack && !isWatchErrorRetriable(failure)) throw failure;
    const isCut = isTransportError(failure);
    this.#logger[isStalled || isBack ? "warn" : "debug"]({ err: failure }, "watch failed; replacing it");
    if (!isStalled && !(isCut && wasEstablished)) await this.#backoff.wait(signal);
    if (!isStalled && !isBack && !isCut) return true;
    // After a restore from a backup, the server may not know the watch's version, and the watch would stay silent forever.
    if (!(await this.#hasGoneBack(signal, isBack))) return true;
    this.#version.isUnavailable = true;
    return false;
  }

  /**
   * Queries the server's version and reports whether it is older than the last known one. @returns `otherwise` if the source does not
   * support this query
   */
  async #hasGoneBack(signal: AbortSignal, otherwise: boolean): Promise<boolean> {
    const source = this.#source;
    if (!source.currentVersion || signal.aborted) return otherwise;
    // If the server does not respond now, the query is repeated when the next watch fails.
    const now = await untilAborted(
      source.currentVersion(signal).catch(() => undefined),
      signal,
    );
    if (now === undefined || !isOlder(now, this.#version.last)) return false;
    this.#logger.warn({ seen: this.#version.last, now }, "the server went back in time");
    return true;
  }

  #open(request: Parameters<ListerWatcher<O>["watch"]>[0], signal: AbortSignal): WatchStream<O> {
    const random = this.#options.random ?? systemRandom.number;
    const timeoutMs = this.#minWatchTimeoutMs * (1 + random());
    const { stallMs = 120_000 } = this.#options;
    return new WatchStream(
      this.#source,
      { ...request, bookmarks: true, timeoutMs },
      { clock: this.#clock, stallMs, signal },
    );
  }

  #noteAlive(): void {
    this.#aliveMs = this.#clock.monotonic();
    if (!this.#errors.isClear) this.#errors.clear();
  }
}

/** Reason for skipping an object, for the log. */
interface Refusal {
  readonly reason: string;
  readonly expected: string;
  readonly actual: string;
}

/** Checks whether a source delivers objects of the requested kind. */
class SourceCheck {
  /** The kind as `apps/v1, Kind=Deployment`, or `<unspecified>`. */
  readonly description: string;
  readonly #apiVersion: string | undefined;
  readonly #kind: string | undefined;

  constructor(kind: GroupVersionKind | undefined) {
    this.description = kind ? gvkKey(kind) : "<unspecified>";
    this.#apiVersion = kind && apiVersionOf(kind);
    this.#kind = kind?.kind;
  }

  /** Returns the reason for skipping an object, or `undefined` if the object is accepted. */
  refusalOf(object: unknown): Refusal | undefined {
    const { apiVersion, kind } = typeOf(object);
    const isOfKind = kind === this.#kind && apiVersion === this.#apiVersion;
    if (!metaIfAny(object)?.name) return this.#refusal("the object has no metadata", object);
    if (isOfKind) return undefined;
    if (isTable(object)) return this.#refusal("tables do not contain objects", object);
    return this.#kind === undefined ? undefined : this.#refusal("the object is of a different kind", object);
  }

  /** Rejects a `meta.k8s.io` Table, whose rows are not objects. @throws {Error} if the list is a Table */
  refuseTable(list: ListPage<unknown>): void {
    if (isTable(list)) throw new Error(`unsupported list of ${list.apiVersion}, Kind=${list.kind}`);
  }

  #refusal(reason: string, object: unknown): Refusal {
    const { apiVersion, kind } = typeOf(object);
    return { reason, expected: this.description, actual: `${apiVersion}, Kind=${kind}` };
  }
}

function typeOf(object: unknown): { readonly apiVersion?: unknown; readonly kind?: unknown } {
  return typeof object === "object" && object !== null ? object : {};
}

function isTable(object: unknown): boolean {
  const { apiVersion, kind } = typeOf(object);
  return kind === "Table" && (apiVersion === "meta.k8s.io/v1" || apiVersion === "meta.k8s.io/v1beta1");
}

/**
 * Returns the resync period in milliseconds, or 0 if resyncs are disabled.
 *
 * @throws {RangeError} if the period is not positive
 */
export function resyncPeriod(resyncMs: number | false | undefined): number {
  if (resyncMs === undefined || resyncMs === false) return 0;
  if (resyncMs > 0 && Number.isFinite(resyncMs)) return resyncMs;
  throw new RangeError(`resyncMs must be positive and finite, got ${resyncMs}; use false for no resyncs`);
}

/** Calls a function every `ms` milliseconds until {@link stop}; 0 disables it. */
class ResyncTimer {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #onDue: () => void;
  #timer: Timer | undefined;

  constructor(clock: Clock, ms: number, onDue: () => void) {
    this.#clock = clock;
    this.#ms = ms;
    this.#onDue = onDue;
    if (ms > 0) this.#arm();
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #arm(): void {
    this.#timer = this.#clock.after(
      this.#ms,
      () => {
        this.#arm();
        this.#onDue();
      },
      { unref: true },
    );
  }
}
