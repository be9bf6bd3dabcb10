import type { Kind, KubeObject, RESTMapper } from "@kubewright/apimachinery";
import { isErrorWithCode, KubewrightError } from "@kubewright/apimachinery";
import type { ReadWriter } from "@kubewright/client";
import type { Clock } from "@kubewright/clock";
import { errorText, type Logger } from "@kubewright/log";
import { deadline, endsWithin } from "./deadline.ts";
import type { ObjectEvent } from "./event.ts";
import type { Request } from "./request.ts";
import type { RequestQueue } from "./request-queue.ts";

/** Records which of a source's events were accepted or dropped, for inspection. */
export interface EventHistory {
  /** Records that a predicate rejected an event. */
  noteDropped(source: string, key: string, resourceVersion: string | undefined, predicate: string): void;
  /** Records that the predicates accepted an event. */
  noteAccepted<T extends KubeObject>(source: string, key: string, version: string, event: ObjectEvent<T>): void;
}

/** Context that a controller passes to a source. */
export interface SourceContext<R = Request> {
  /** The controller's queue. */
  readonly queue: Pick<RequestQueue<R>, "add">;
  readonly client: ReadWriter;
  readonly log: Logger;
  readonly clock: Clock;
  /** The controller's mapper, which is passed to handlers. */
  readonly mapper?: RESTMapper | undefined;
  /** Returns the record of events for inspections. Returns undefined if nothing is recorded. */
  readonly history?: (() => EventHistory | undefined) | undefined;
  /** Must be called once all objects that existed at the start have been delivered. No reconcile begins before that. */
  readonly synced: () => void;
}

/**
 * Delivers requests to a controller. If `run` rejects, the controller stops with that error.
 *
 * @see controller-runtime pkg/source Source
 */
export interface Source<R = Request> {
  /** Description for messages, such as `kind source: Deployment.apps`. */
  readonly description: string;
  /** Delivers requests until the signal aborts. If it returns without calling `synced`, the source counts as synced. */
  run(context: SourceContext<R>, signal: AbortSignal): Promise<void>;
  /**
   * Delivers the requests for all existing objects again, while `run` is running. Resolves when they have been
   * delivered. A controller calls it when its replica acquires a shard. Without this method, requests that are
   * delivered while another replica holds their shard are lost.
   */
  deliverAgain?(context: Omit<SourceContext<R>, "synced">, signal: AbortSignal): Promise<void>;
  /** Kind that the source watches, if any, and its cache. Used in descriptions. */
  readonly watched?:
    | {
        readonly kind: Kind;
        readonly cache: unknown;
        /** True if this program provides the kind's CRD. Default: unspecified. */
        readonly isDefinedHere?: boolean | undefined;
      }
    | undefined;
  /** True while the source's handler is processing events. Default: unknown, which counts as false. */
  readonly isHandling?: boolean | undefined;
  /** Last error of the source's watch, if any: the reason why it has not synced. */
  readonly lastError?: unknown;
}

/** Thrown by a source that is still running but can no longer deliver the objects that existed at the start. */
export class SourceNotSyncedError extends KubewrightError {
  override readonly name = "SourceNotSyncedError";
  readonly code = "ERR_SOURCE_NOT_SYNCED";
}

/** Reports whether an error is a {@link SourceNotSyncedError}. */
export const isSourceNotSyncedError = isErrorWithCode<SourceNotSyncedError>("ERR_SOURCE_NOT_SYNCED");

/**
 * Creates a source from a function, for cases that other sources do not cover. The source counts as synced once the
 * function returns. A function that keeps running, such as a polling loop, must call `context.synced()` as soon as it
 * has queued the existing objects; otherwise, no reconcile begins, and the controller fails after `cacheSyncTimeoutMs`.
 * It must return when the signal aborts.
 *
 * @param description name of the source in messages. Default: `func source: ` and the function's name.
 * @see controller-runtime pkg/source Func
 */
export function funcSource<R = Request>(
  run: (context: SourceContext<R>, signal: AbortSignal) => Promise<void> | void,
  description = `func source: ${run.name || "(anonymous)"}`,
): Source<R> {
  return { description, run: async (context, signal) => run(context, signal) };
}

export interface SourceRunnerOptions<R> {
  readonly controllerName: string;
  readonly context: Omit<SourceContext<R>, "synced">;
  readonly syncTimeoutMs: number;
}

/** Maximum wait for sources after the controller has failed. A source that ignores its signal must not delay the report of the failure. */
const failedPatienceMs = 1_000;

/** Runs a controller's sources concurrently until it is stopped, and reports when all of them have synced. */
export class SourceRunner<R> {
  readonly #options: SourceRunnerOptions<R>;
  readonly #stop = new AbortController();
  readonly #runs = new Set<Promise<void>>();
  /** Runs of sources that have not synced, with the descriptions of the sources. */
  readonly #unsynced = new Map<Promise<void>, string>();
  readonly #failure = Promise.withResolvers<never>();

  constructor(options: SourceRunnerOptions<R>) {
    this.#options = options;
    this.#failure.promise.catch(() => {}); // callers handle the rejection, but there may be none
  }

  /** A promise that rejects when a source fails. */
  get failed(): Promise<never> {
    return this.#failure.promise;
  }

  /** Descriptions of the sources that have not synced. */
  get unsynced(): readonly string[] {
    return [...this.#unsynced.values()];
  }

  /** Starts sources. Resolves when they have synced. */
  async start(sources: readonly Source<R>[]): Promise<void> {
    await Promise.all(sources.map((source) => this.#start(source)));
  }

  /**
   * Lets sources deliver their existing objects again, to another queue. If this fails, the source counts as failed.
   * Never rejects.
   */
  async deliverAgain(sources: readonly Source<R>[], queue: SourceContext<R>["queue"]): Promise<void> {
    const context = { ...this.#options.context, queue };
    const { signal } = this.#stop;
    await Promise.all(sources.map((source) => source.deliverAgain?.(context, signal))).catch((error) => {
      if (!signal.aborted) this.#failure.reject(error);
    });
  }

  /**
   * Stops all sources and waits until they have ended.
   *
   * @param hasFailed true to wait only briefly, and only for sources that have synced, because others may never end
   */
  async stop(hasFailed = false): Promise<void> {
    this.#stop.abort();
    if (!hasFailed) return void (await Promise.allSettled(this.#runs));
    const { clock } = this.#options.context;
    const synced = [...this.#runs].filter((run) => !this.#unsynced.has(run));
    await endsWithin(clock, failedPatienceMs, Promise.allSettled(synced), new AbortController().signal);
  }

  async #start(source: Source<R>): Promise<void> {
    const { context, syncTimeoutMs } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const run = source.run({ ...context, synced: resolve }, this.#stop.signal).then(resolve, (thrown) => {
      const error = thrown instanceof SourceNotSyncedError ? this.#notSynced(source, thrown.message, thrown) : thrown;
      this.#failure.reject(error);
      reject(error);
    });
    this.#runs.add(run);
    this.#unsynced.set(run, source.description);
    const hasSynced = (): void => void this.#unsynced.delete(run);
    promise.then(hasSynced, hasSynced);
    const limit = deadline(context.clock, syncTimeoutMs, this.#stop.signal, "timed out waiting for cache to be synced");
    const expired = new Promise<void>((done, fail) => {
      const end = (): void => (limit.isOver ? fail(limit.signal.reason) : done());
      if (limit.signal.aborted) end();
      limit.signal.addEventListener("abort", end, { once: true });
    });
    try {
      await Promise.race([promise, expired]);
    } catch (error) {
      if (!limit.isOver) throw error;
      const remedy = source.watched || source.lastError !== undefined ? "" : `; ${remedyWithin(syncTimeoutMs)}`;
      throw this.#notSynced(source, `timed out waiting for cache to be synced${remedy}`, error);
    } finally {
      limit.cancel();
    }
  }

  #notSynced({ description, lastError }: Source<R>, why: string, cause: unknown): Error {
    const message = `failed to wait for ${this.#options.controllerName} caches to sync ${description}: ${why}`;
    if (lastError === undefined) return new Error(message, { cause });
    return new Error(`${message}; last error: ${errorText(lastError)}`, { cause: lastError });
  }
}

const remedyWithin = (ms: number): string =>
  `the source has neither returned nor called synced() within ${ms} ms: call synced() as soon as the existing objects are queued, before the source ` +
  "waits or loops, or raise cacheSyncTimeoutMs";
