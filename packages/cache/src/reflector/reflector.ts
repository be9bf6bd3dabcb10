import { type GroupVersionKind, isExpired, isInternalError } from "@kubewright/apimachinery";
import { Backoff, type Clock, systemClock } from "@kubewright/clock";
import { errorText, type Logger, safeLogger, silentLogger } from "@kubewright/log";
import type { ListerWatcher } from "../source/lister-watcher.ts";
import { orLeft } from "../source/or-left.ts";
import type { ReflectorStore } from "../store/indexer.ts";
import { checkConsistency, InconsistentStateError } from "./consistency-check.ts";
import { EventApplier } from "./event-applier.ts";
import { initialStateOf } from "./initial-events.ts";
import { InitialEventsWarning } from "./initial-events-warning.ts";
import { ReflectorBackoff, type ReflectorBackoffOptions } from "./reflector-backoff.ts";
import { ResyncTimer } from "./resync-timer.ts";
import { RetryDeadline } from "./retry-deadline.ts";
import { SourceCheck } from "./source-check.ts";
import { StateLister } from "./state-lister.ts";
import { VersionMemory } from "./version-memory.ts";
import { WatchErrorReports } from "./watch-error-reports.ts";
import { isTooLargeResourceVersion, isWatchErrorRetriable, VeryShortWatchError } from "./watch-errors.ts";
import { WatchRecovery } from "./watch-recovery.ts";
import { WatchStream } from "./watch-stream.ts";

/** Options of a {@link Reflector}. Times are in milliseconds of its clock. @see client-go tools/cache ReflectorOptions */
export interface ReflectorOptions {
  /** Name for messages. Default: the kind, as in `apps/v1, Kind=Deployment`. */
  readonly name?: string | undefined;
  /** Kind of the objects. Objects of another kind are logged and left out. Default: any kind is accepted. */
  readonly kind?: GroupVersionKind | undefined;
  /** Streams the initial state instead of listing it, if the source supports it. Default true. */
  readonly useWatchList?: boolean | undefined;
  /** Compares each streamed initial state with a list at the same version, and throws if they differ. For tests. Default false. */
  readonly checkConsistency?: boolean | undefined;
  /** Number of objects in one page of a list; 0 disables paging. Default 500, or 0 where that lets the server answer from memory. */
  readonly pageSize?: number | undefined;
  /** Minimum timeout of a watch; each watch requests a random timeout between this and twice this. Default and minimum 5 minutes. */
  readonly minWatchTimeoutMs?: number | undefined;
  /** Time without event or bookmark after which a watch is replaced; servers send a bookmark about once a minute. Default 2 minutes. */
  readonly stallMs?: number | undefined;
  /** Time for which internal server errors in a watch are retried without listing again. Default 0. */
  readonly maxInternalErrorRetryMs?: number | undefined;
  /** Period of resyncs. Default 0: never. */
  readonly resyncMs?: number | undefined;
  /** Called at the end of each period; returns true to resync the store now. Default: always. */
  readonly shouldResync?: (() => boolean) | undefined;
  /** Delays after failed cycles. Default: 800 ms doubling to 30 s, jittered. */
  readonly backoff?: ReflectorBackoffOptions | undefined;
  /** Called with each error that ended a cycle; the next cycle follows after a delay. Default: the error is logged. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Interval for logging a warning while a streamed initial state is incomplete. Default 10 s. */
  readonly initialEventsWarningMs?: number | undefined;
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Default: silent. */
  readonly logger?: Logger | undefined;
  /** Source of numbers in [0, 1), for tests. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

const leastWatchTimeoutMs = 300_000;

/**
 * Keeps a store equal to the server's state: the initial state (streamed if possible, otherwise listed), then each change. After any
 * failure, it starts over after a growing delay; it never gives up.
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
  /** Delays between watches that end at once. */
  readonly #shortBackoff: Backoff;
  readonly #version = new VersionMemory();
  readonly #lister: StateLister<O>;
  readonly #applier: EventApplier<O>;
  readonly #recovery: WatchRecovery<O>;
  readonly #errors: WatchErrorReports;
  readonly #useWatchList: boolean;
  readonly #minWatchTimeoutMs: number;
  #aliveMs: number | undefined;
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
      random: options.random ?? Math.random,
    });
    const { name } = this;
    const [version, backoff, logger] = [this.#version, this.#backoff, this.#logger];
    this.#applier = new EventApplier({ name, store, version, check: this.#check, logger });
    this.#recovery = new WatchRecovery({ source, version, backoff, logger });
    this.#lister = new StateLister(source, this.#version, options.pageSize);
    this.#useWatchList = (options.useWatchList ?? true) && source.supportsWatchList !== false;
    this.#minWatchTimeoutMs = Math.max(options.minWatchTimeoutMs ?? 0, leastWatchTimeoutMs);
  }

  /** Resource version of the store; empty before the initial state. */
  get lastSyncResourceVersion(): string {
    return this.#version.last;
  }

  /** The kind as `apps/v1, Kind=Deployment`, or `<unspecified>`. */
  get typeDescription(): string {
    return this.#check.description;
  }

  /** Time of the server's last response, in the clock's monotonic milliseconds; `undefined` before the first one. */
  get aliveMs(): number | undefined {
    return this.#aliveMs;
  }

  /**
   * Error that last interrupted listing or watching, or for which the server deferred the current request; `undefined` once the server has
   * responded since.
   */
  get lastError(): unknown {
    return this.#source.putOff ?? this.#errors.last;
  }

  /** Lists and watches until the signal aborts. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.listAndWatch(signal);
      } catch (error) {
        if (!signal.aborted) this.#errors.report(error);
      }
      if (!signal.aborted) await this.#backoff.wait(signal);
    }
  }

  /**
   * Runs one cycle: gets the whole state, then watches until the state must be fetched again.
   *
   * @throws {Error} if listing failed; the original error is in `cause`
   * @throws the error of a watch, unless opening another watch helps
   */
  async listAndWatch(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
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
    const resyncs = new ResyncTimer(this.#clock, this.#options.resyncMs ?? 0, () => this.#resync());
    try {
      await this.#watch(stream, signal);
    } finally {
      resyncs.stop();
    }
  }

  #resync(): void {
    const { shouldResync = () => true } = this.#options;
    try {
      if (shouldResync()) this.#store.resync?.();
    } catch (err) {
      this.#logger.error({ err }, "the store refused to resync");
    }
  }

  async #list(signal: AbortSignal): Promise<void> {
    try {
      const listed = await orLeft(this.#lister.list(signal), signal);
      if (signal.aborted || !listed) return;
      this.#noteAlive();
      this.#check.refuseTable(listed);
      const items = listed.items.filter((item) => this.#applier.accepts(item));
      this.#applier.replace(items, listed.metadata.resourceVersion ?? "");
    } catch (error) {
      if (!signal.aborted)
        throw new Error(`failed to list ${this.typeDescription}: ${errorText(error)}`, { cause: error });
    }
  }

  /** Streams the state into the store. @returns the stream, which continues with the changes; `undefined` if the signal aborted */
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
        const state = await initialStateOf(stream, (object) => this.#applier.accepts(object));
        if (state) {
          this.#noteAlive();
          this.#version.isUnavailable = false;
          if (this.#options.checkConsistency) await checkConsistency(this.#source, state, signal);
          this.#applier.replace(state.objects, state.resourceVersion);
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
      if (!(await this.#recovery.canWatchOn(failure, stream.isEstablished, signal))) return;
    }
  }

  /**
   * A server or proxy may end each watch after a moment. If that happens once, the watch is replaced at once; if it happens repeatedly,
   * after growing delays.
   */
  async #afterShort(stream: WatchStream<O>, signal: AbortSignal): Promise<void> {
    const isRepeated = stream.isShort && this.#isAfterShort;
    this.#isAfterShort = stream.isShort;
    if (isRepeated) await this.#clock.sleep(this.#shortBackoff.next(), signal);
    else this.#shortBackoff.reset();
  }

  /** Applies events until the stream ends, and closes it. @returns the error of the stream, if it failed */
  async #follow(stream: WatchStream<O>, hasSyntheticStart: boolean, signal: AbortSignal): Promise<unknown> {
    let isSynthetic = hasSyntheticStart;
    try {
      for (let batch = await stream.next(); batch; batch = await stream.next()) {
        this.#noteAlive();
        isSynthetic = this.#applier.apply(batch, isSynthetic);
      }
      return stream.isEstablished || signal.aborted ? undefined : new VeryShortWatchError(this.name);
    } catch (error) {
      return error;
    } finally {
      await stream.close();
    }
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

  #noteAlive(): void {
    this.#aliveMs = this.#clock.monotonic();
    this.#errors.clear();
  }
}
