import type { Clock } from "@kubewright/clock";
import { errorText } from "@kubewright/log";
import { deadline } from "../reconcile/deadline.ts";
import { NotSyncedError } from "../source/not-synced-error.ts";
import type { Source, SourceContext } from "../source/source.ts";

export interface SourceRunnerOptions<R> {
  readonly controllerName: string;
  readonly context: Omit<SourceContext<R>, "synced">;
  readonly clock: Clock;
  readonly syncTimeoutMs: number;
}

/** Runs a controller's sources side by side until it is stopped, and says when all of them have synced. */
export class SourceRunner<R> {
  readonly #options: SourceRunnerOptions<R>;
  readonly #stop = new AbortController();
  readonly #runs = new Set<Promise<void>>();
  readonly #failure = Promise.withResolvers<never>();

  constructor(options: SourceRunnerOptions<R>) {
    this.#options = options;
    this.#failure.promise.catch(() => {}); // whoever races it hears of it; nobody need
  }

  /** Rejects when a source fails, at whatever time. */
  get failed(): Promise<never> {
    return this.#failure.promise;
  }

  /** Starts sources; resolves when they have synced. */
  async start(sources: readonly Source<R>[]): Promise<void> {
    await Promise.all(sources.map((source) => this.#start(source)));
  }

  /** Stops all sources and waits for their end. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled(this.#runs);
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
      throw this.#notSynced(source, "timed out waiting for cache to be synced", error);
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
