import type { Permission } from "@kubewright/apimachinery";
import { untilAborted } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import { type ControllerDescription, controllerDescription } from "./controller-description.ts";
import { type ControllerMetrics, noMetrics } from "./controller-metrics.ts";
import { type CompletedOptions, type ControllerOptions, completed } from "./controller-options.ts";
import {
  aboutKey,
  type ControllerInspection,
  type ControllerInspectionDetail,
  health,
  queueRows,
  recentReconciles,
} from "./inspection.ts";
import { ReadYourOwnWrites } from "./read-your-own-writes.ts";
import type { Reconciler } from "./reconciler.ts";
import type { Request } from "./request.ts";
import type { RequestQueue } from "./request-queue.ts";
import { ShardedWork } from "./sharded-work.ts";
import { type Source, SourceRunner } from "./source.ts";
import { WorkerPool } from "./worker-pool.ts";

/**
 * Queues requests from its sources and passes them to a reconciler.
 *
 * Guarantees:
 * - No reconcile begins until all sources have delivered the objects that existed at the start.
 * - A request is never reconciled concurrently with itself. If it is queued again in the meantime, it is reconciled again afterwards.
 * - After an error, the request is retried with an increasing delay. A success resets the delay.
 * - The next reconcile of a request sees everything that the previous one wrote.
 * - After the signal aborts or the controller fails, no new reconcile begins, and `run` waits for the reconciles in progress. After a
 *   failure, it aborts their signals and waits for at most 30 seconds.
 *
 * The constructor starts nothing. A controller can be added to a manager as a runnable.
 *
 * The beginning and end of each reconcile are published on the `kubewright.controller.reconcile` channel of
 * `node:diagnostics_channel`, as `{ event: "begins" | "ends", controller, request }`.
 *
 * @see controller-runtime pkg/internal/controller Controller
 */
export class Controller<R = Request> {
  readonly name: string;
  /** Group in which a manager runs the controller: after this process has become the leader, or immediately. */
  readonly group: "leaderElection" | "others";
  /** The reconciler from the options, for tools that call it themselves, such as `kubewright replay`. */
  readonly reconcile: Reconciler<R>;
  readonly #options: CompletedOptions<R>;
  readonly #log: Logger;
  readonly #queue: RequestQueue<R>;
  readonly #ownWrites: ReadYourOwnWrites<R> | undefined;
  readonly #workers: WorkerPool<R>;
  readonly #sources: SourceRunner<R>;
  readonly #sharded: ShardedWork<R> | undefined;
  readonly #added: Source<R>[] = [];
  #toStart: Source<R>[];
  #synced: Promise<void> | undefined;
  #hasStarted = false;

  /** @throws {Error} if the name or the reconciler is missing, or a number is invalid */
  constructor(options: ControllerOptions<R>) {
    this.#options = completed(options);
    const { name, client, clock, logger, mapper, newQueue, rateLimiter } = this.#options;
    this.name = name;
    this.reconcile = options.reconcile;
    const { needLeaderElection, sharding } = this.#options;
    this.group = needLeaderElection && !sharding ? "leaderElection" : "others";
    this.#log = logger;
    const metrics = this.#options.metrics?.(name) ?? noMetrics;
    const queue = newQueue({
      name,
      clock,
      rateLimiter,
      metrics: this.#options.queueMetrics,
      onCause: (request, cause) => this.#workers.noteCause(request, cause),
    });
    this.#queue = queue;
    this.#ownWrites = this.#makeOwnWrites(metrics);
    this.#toStart = [...(options.sources ?? [])];
    this.#sources = new SourceRunner({
      controllerName: name,
      context: {
        queue: sharding ? this.#heldOnly(queue) : queue,
        client,
        log: logger,
        clock,
        mapper,
        history: () => this.#workers.history,
      },
      syncTimeoutMs: this.#options.cacheSyncTimeoutMs,
    });
    const parts = { queue, sources: this.#sources, allSources: () => this.#allSources };
    this.#sharded = sharding && new ShardedWork(sharding, parts);
    this.#workers = new WorkerPool(this.#options, {
      queue,
      metrics,
      ownWrites: this.#ownWrites,
      sharded: this.#sharded,
    });
  }

  /** Describes the kinds that the controller works with, and the additional permissions that it needs. Sends no requests. */
  describe(): { readonly controllers: readonly ControllerDescription[]; readonly permissions: readonly Permission[] } {
    const { cache, described = {} } = this.#options;
    return {
      controllers: [controllerDescription(this.name, described, this.#allSources, cache)],
      permissions: described.permissions ?? [],
    };
  }

  /**
   * Returns the current state. The first call starts recording a history of reconciles, which is limited in size;
   * programs that never call this method incur no cost.
   *
   * @param detail requests queue rows and recent reconciles
   */
  inspect(detail?: ControllerInspectionDetail): ControllerInspection {
    const { maxConcurrentReconciles, clock } = this.#options;
    const { running, paused, totals } = this.#workers;
    const history = this.#workers.recordHistory();
    const held = this.#ownWrites?.held ?? new Map();
    const parts = { queue: this.#queue, running, held, paused, history, clock };
    const numbers = {
      queueLength: this.queueLength,
      hasStarted: this.#hasStarted,
      hasSynced: this.#hasStarted && this.#synced !== undefined && this.#sources.unsynced.length === 0,
      isHandling: this.#allSources.some(({ isHandling }) => isHandling === true),
      isSharded: this.#sharded !== undefined,
      maxConcurrentReconciles,
      running: running.size,
      held: held.size,
      failing: history.failing.size,
      paused: paused.size,
      ...health(parts),
      unsynced: this.#hasStarted ? this.#sources.unsynced : [],
      totals: { ...totals },
    };
    if (!detail) return numbers;
    const { key } = detail;
    const about = key === undefined ? {} : { about: aboutKey(parts, key, maxConcurrentReconciles) };
    return { ...numbers, queue: queueRows(parts, detail), reconciles: recentReconciles(history, detail), ...about };
  }

  /**
   * Carries out an action on one key:
   *
   * - `reconcile` queues it.
   * - `pause` stops reconciling it until `resume` is called or its object is deleted. Its events are merged in the
   *   meantime. Only this process is affected.
   *
   * @param by name of the user, for logs and inspections
   * @returns false, without effect, if the controller's requests are not keys of its main kind, if another replica
   *   holds the shard of the key to queue, if the key to resume is not paused, or if 1,000 keys are already paused
   */
  control(action: "reconcile" | "pause" | "resume", key: string, by: string): boolean {
    if (!this.#isRequest(key) || (action === "reconcile" && this.#sharded && !this.#sharded.termOf(key))) return false;
    if (action === "reconcile") this.#queue.add(key);
    const isDone =
      action === "reconcile" || (action === "pause" ? this.#workers.pause(key, by) : this.#workers.resume(key));
    if (isDone) this.#log.info({ action, key, by }, "performed a user's action on a request");
    return isDone;
  }

  /** Reports whether a key is a request. If the controller has a main kind, its requests are the keys of that kind's objects. */
  #isRequest(key: string | R): key is R {
    return this.#options.described?.for !== undefined && typeof key === "string";
  }

  /** Number of waiting requests. */
  get queueLength(): number {
    return this.#queue.size;
  }

  /** Adds a source. On a running controller, the source starts immediately, and the promise resolves when it has synced. */
  async watch(source: Source<R>): Promise<void> {
    this.#added.push(source);
    if (this.#synced) await this.#sources.start([source]);
    else this.#toStart.push(source);
  }

  /**
   * Starts the sources early, so that the queue is filled when `run` begins. Has no effect unless `enableWarmup` is set. Returns when the
   * signal aborts.
   *
   * @param stopping aborts when the program begins to stop; sources that do not sync for that reason do not count as failed
   */
  async warmup(signal: AbortSignal, stopping: AbortSignal = signal): Promise<void> {
    if (!this.#options.enableWarmup || signal.aborted) return;
    const stopped = untilAborted(signal);
    await this.#sourcesStarted(stopped, stopping);
    if (!stopping.aborted) await Promise.race([this.#sources.failed, stopped]);
    if (!this.#hasStarted) await this.#sources.stop();
  }

  /**
   * Runs the controller until the signal aborts, then waits for the reconciles in progress.
   *
   * @param stopping aborts when the program begins to stop; a reconcile or source that is interrupted for that reason is not reported as
   *   failed
   * @throws the error of a source, or an error if the sources did not sync in time or the controller had already been
   * started
   */
  async run(signal: AbortSignal, stopping: AbortSignal = signal): Promise<void> {
    if (this.#hasStarted) throw new Error(`controller "${this.name}" was started more than once`);
    this.#hasStarted = true;
    this.#sharded?.join();
    const stop = untilAborted(signal);
    const failed = new AbortController();
    try {
      this.#log.info("starting event sources");
      await this.#sourcesStarted(stop, stopping);
      if (signal.aborted || stopping.aborted) return;
      this.#log.info({ workers: this.#options.maxConcurrentReconciles }, "starting workers");
      const working = this.#workers.run(AbortSignal.any([signal, failed.signal]), stopping);
      this.#sharded?.ready();
      await Promise.race([stop, working, this.#sources.failed]);
    } catch (err) {
      if (this.#workers.running.size > 0)
        this.#log.error({ err }, "the controller failed; stopping the reconciles in progress");
      failed.abort(err);
      throw err;
    } finally {
      this.#queue.shutDown();
      await this.#workers.ended(failed.signal.aborted);
      this.#sharded?.leave();
      await this.#ownWrites?.stop();
      await this.#sources.stop(!signal.aborted && !stopping.aborted);
      this.#log.info("all workers finished");
    }
  }

  /** Returns a queue for the sources, which drops requests of shards that this replica does not hold. */
  #heldOnly(queue: RequestQueue<R>): Pick<RequestQueue<R>, "add"> {
    return {
      add: (request, options) => {
        if (this.#sharded?.termOf(request)) queue.add(request, options);
      },
    };
  }

  get #allSources(): readonly Source<R>[] {
    return [...(this.#options.sources ?? []), ...this.#added];
  }

  #makeOwnWrites(metrics: ControllerMetrics): ReadYourOwnWrites<R> | undefined {
    const { cache, liveReader, client, clock, ownWritesTimeoutMs: timeoutMs } = this.#options;
    if (!cache || !liveReader || timeoutMs === undefined) return undefined;
    const [live, queue] = [cache.liveReader(liveReader), this.#queue];
    const { expectations } = cache;
    return new ReadYourOwnWrites({ expectations, live, client, clock, timeoutMs, queue, metrics });
  }

  /** Starts the sources. Resolves when they have synced or the program begins to stop. */
  async #sourcesStarted(stopped: Promise<void>, stopping: AbortSignal): Promise<void> {
    try {
      this.#synced ??= this.#sources.start(this.#toStart);
      await Promise.race([this.#synced, stopped]);
    } catch (err) {
      if (!stopping.aborted) throw err;
      this.#log.debug({ err }, "the sources were interrupted");
    }
  }
}
