import type { Clock } from "@kubewright/clock";
import { errorText } from "@kubewright/log";
import { deadline } from "../reconcile/deadline.ts";
import { endsWithin } from "../source/ends-within.ts";
import { NotSyncedError } from "../source/not-synced-error.ts";
import type { Source, SourceContext } from "../source/source.ts";

export interface SourceRunnerOptions<R> {
  readonly controllerName: string;
  readonly context: Omit<SourceContext<R>, "synced">;
  readonly clock: Clock;
  readonly syncTimeoutMs: number;
}

/**
 * Maximum wait for sources after the controller has failed. A source that ignores its signal must not keep the failure from being
 * reported.
 */
const failedPatienceMs = 1_000;

/** Runs a controller's sources concurrently until it is stopped, and reports when all of them have synced. */
export class SourceRunner<R> {
  readonly #options: SourceRunnerOptions<R>;
  readonly #stop = new AbortController();
  readonly #runs = new Set<Promise<void>>();
  /** Runs of sources that have not synced. */
  readonly #unsynced = new Set<Promise<void>>();
  readonly #failure = Promise.withResolvers<never>();

  constructor(options: SourceRunnerOptions<R>) {
    this.#options = options;
    this.#failure.promise.catch(() => {}); // handled by callers that race it; a caller is optional
  }

  /** Rejects when a source fails, at any time. */
  get failed(): Promise<never> {
    return this.#failure.promise;
  }

  /** Number of sources that have not synced. */
  get unsynced(): number {
    return this.#unsynced.size;
  }

  /** Starts sources; resolves when they have synced. */
  async start(sources: readonly Source<R>[]): Promise<void> {
    await Promise.all(sources.map((source) => this.#start(source)));
  }

  /**
   * Stops all sources and waits for their end.
   *
   * @param hasFailed true to wait only briefly, and not at all for sources that have not synced, because they may never end
   */
  async stop(hasFailed = false): Promise<void> {
    this.#stop.abort();
    if (!hasFailed) return void (await Promise.allSettled(this.#runs));
    const synced = [...this.#runs].filter((run) => !this.#unsynced.has(run));
    await endsWithin(this.#options.clock, failedPatienceMs, Promise.allSettled(synced), new AbortController().signal);
  }

  async #start(source: Source<R>): Promise<void> {
    const { context, clock, syncTimeoutMs } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const run = source.run({ ...context, synced: resolve }, this.#stop.signal).then(resolve, (thrown) => {
      const error = thrown instanceof NotSyncedError ? this.#notSynced(source, thrown.message, thrown) : thrown;
      this.#failure.reject(error);
      reject(error);
    });
    this.#runs.add(run);
    this.#unsynced.add(run);
    const hasSynced = (): void => void this.#unsynced.delete(run);
    promise.then(hasSynced, hasSynced);
    const limit = deadline(clock, syncTimeoutMs, this.#stop.signal, "timed out waiting for cache to be synced");
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
  `the source has neither returned nor called synced() within ${ms} ms: make it call synced() as soon as it has queued the existing objects, before it ` +
  "waits or loops, or raise cacheSyncTimeoutMs";
