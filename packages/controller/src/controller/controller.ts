import { isCutShort, type Permission } from "@kubewright/apimachinery";
import { EventLoopShare } from "@kubewright/clock";
import { isPanic, type Logger } from "@kubewright/log";
import { noSpan, type Span } from "@kubewright/tracing";
import { ReadYourOwnWrites } from "../own-writes/read-your-own-writes.ts";
import { type ControllerMetrics, noMetrics, type ReconcileResult } from "../reconcile/controller-metrics.ts";
import { deadline, endsWithin } from "../reconcile/deadline.ts";
import { isTerminalError, recovered, thrownError } from "../reconcile/errors.ts";
import { contextOf, ReconcileCall, type SharedContext } from "../reconcile/reconcile-call.ts";
import { type Cause, checkedResult, type Request, type Result } from "../reconcile/request.ts";
import type { RequestQueue, Taken } from "../reconcile/request-queue.ts";
import { isTraced, tracedReconcile } from "../reconcile/traced-reconcile.ts";
import { type Source, SourceRunner } from "../source/source.ts";
import { type ControllerDescription, controllerDescription } from "./controller-description.ts";
import { type CompletedOptions, type ControllerOptions, completed } from "./controller-options.ts";
import { type ControllerInspection, type InspectionDetail, queueRows, recentReconciles } from "./inspection.ts";
import { Journal } from "./journal.ts";
import { Workforce } from "./workforce.ts";

/** Maximum wait for reconciles in progress after the controller has failed: a manager's grace period. */
const failedPatienceMs = 30_000;

/**
 * Passes requests from its sources through one queue to a reconciler.
 *
 * Guarantees:
 * - No reconcile begins before all sources have delivered the objects that existed at the start.
 * - A request is never reconciled twice at a time; if it is queued again meanwhile, it is reconciled again.
 * - After an error, the request is retried with a growing delay; a success resets the delay.
 * - The next reconcile of a request reads what the previous one wrote.
 * - After the signal aborts, or the controller fails, no reconcile begins, and `run` returns when those in progress have ended. After a
 *   failure, their signals abort, and `run` waits for at most 30 seconds.
 *
 * The constructor starts nothing. A controller has the shape of a manager's runnable.
 *
 * @see controller-runtime pkg/internal/controller Controller
 */
export class Controller<R = Request> {
  readonly name: string;
  /** Group in which a manager runs it: with leadership, or at once. */
  readonly group: "leaderElection" | "others";
  readonly #options: CompletedOptions<R>;
  readonly #log: Logger;
  readonly #metrics: ControllerMetrics;
  readonly #queue: RequestQueue<R>;
  readonly #ownWrites: ReadYourOwnWrites<R> | undefined;
  readonly #shared: SharedContext<R>;
  readonly #sources: SourceRunner<R>;
  readonly #share: EventLoopShare;
  readonly #added: Source<R>[] = [];
  #toStart: Source<R>[];
  #synced: Promise<void> | undefined;
  #hasStarted = false;
  #ending: AbortSignal | undefined;
  #journal: Journal<R> | undefined;
  /** Start times, in the clock's monotonic milliseconds. */
  readonly #running = new Map<R, number>();
  readonly #totals = { reconciles: 0, errors: 0, busyMs: 0 };

  /** @throws {Error} if the name or the reconciler is missing */
  constructor(options: ControllerOptions<R>) {
    this.#options = completed(options);
    const { name, client, clock, logger, mapper, newQueue, rateLimiter, recorder } = this.#options;
    this.name = name;
    this.#share = EventLoopShare.of(clock);
    this.group = this.#options.needLeaderElection ? "leaderElection" : "others";
    this.#log = logger;
    this.#metrics = this.#options.metrics?.(name) ?? noMetrics;
    this.#queue = newQueue({ name, clock, rateLimiter, metrics: this.#options.queueMetrics });
    const ownWrites = this.#makeOwnWrites();
    this.#ownWrites = ownWrites;
    const clientFor: SharedContext<R>["clientFor"] = (request, log) => {
      const own = ownWrites?.clientFor(request, log) ?? client;
      return this.#journal?.noting(own, request) ?? own;
    };
    this.#shared = { clientFor, recorder, log: this.#log };
    this.#toStart = [...(options.sources ?? [])];
    this.#sources = new SourceRunner({
      controllerName: name,
      context: { queue: this.#queue, client, log: this.#log, clock, mapper },
      clock,
      syncTimeoutMs: this.#options.cacheSyncTimeoutMs,
    });
  }

  /** Describes the kinds it works with, and the permissions it needs in addition. Makes no requests. */
  describe(): { readonly controllers: readonly ControllerDescription[]; readonly permissions: readonly Permission[] } {
    const { cache, described = {} } = this.#options;
    return {
      controllers: [controllerDescription(this.name, described, this.#allSources, cache)],
      permissions: described.permissions ?? [],
    };
  }

  /**
   * Returns the current state. The first call starts a journal of the reconciles, bounded in size, so that it costs nothing for programs
   * that never call this.
   *
   * @param detail also requests rows of the queue, and reconciles
   */
  inspect(detail?: InspectionDetail): ControllerInspection {
    const { maxConcurrentReconciles, clock } = this.#options;
    this.#journal ??= new Journal(clock);
    const journal = this.#journal;
    const held = this.#ownWrites?.held ?? new Map();
    const numbers = {
      queueLength: this.queueLength,
      hasStarted: this.#hasStarted,
      hasSynced: this.#hasStarted && this.#synced !== undefined && this.#sources.unsynced === 0,
      isHandling: this.#allSources.some(({ isHandling }) => isHandling === true),
      maxConcurrentReconciles,
      running: this.#running.size,
      held: held.size,
      failing: journal.failing.size,
      totals: { ...this.#totals },
    };
    if (!detail) return numbers;
    const queue = queueRows({ queue: this.#queue, running: this.#running, held, journal, clock }, detail);
    return { ...numbers, queue, reconciles: recentReconciles(journal, detail) };
  }

  /** Number of waiting requests. */
  get queueLength(): number {
    return this.#queue.size;
  }

  /** Adds a source. On a running controller, it starts at once, and the promise waits for it to sync. */
  async watch(source: Source<R>): Promise<void> {
    this.#added.push(source);
    if (this.#synced) await this.#sources.start([source]);
    else this.#toStart.push(source);
  }

  /**
   * Starts the sources ahead of time, so that the queue is filled when `run` begins. Has no effect unless `enableWarmup` is set. Returns
   * when the signal aborts.
   *
   * @param ending aborts when the program begins to stop: sources that do not sync because of that are not a failure
   */
  async warmup(signal: AbortSignal, ending: AbortSignal = signal): Promise<void> {
    if (!this.#options.enableWarmup || signal.aborted) return;
    const stopped = abortOf(signal);
    await this.#sourcesStarted(stopped, ending);
    if (!ending.aborted) await Promise.race([this.#sources.failed, stopped]);
    if (!this.#hasStarted) await this.#sources.stop();
  }

  /**
   * Runs until the signal aborts, then waits for the reconciles in progress.
   *
   * @param ending aborts when the program begins to stop: a reconcile or a source that is interrupted because of that is not reported as a
   * failure
   * @throws the error of a source, or an error if the sources did not sync in time, or if the controller was started before
   */
  async run(signal: AbortSignal, ending: AbortSignal = signal): Promise<void> {
    if (this.#hasStarted) throw new Error(`controller "${this.name}" was started more than once`);
    this.#hasStarted = true;
    this.#ending = ending;
    const stop = abortOf(signal);
    const failed = new AbortController();
    let workforce: Workforce | undefined;
    try {
      this.#log.info("starting event sources");
      await this.#sourcesStarted(stop, ending);
      if (signal.aborted || ending.aborted) return;
      this.#log.info({ workers: this.#options.maxConcurrentReconciles }, "starting workers");
      workforce = this.#workforce(AbortSignal.any([signal, failed.signal]));
      await Promise.race([stop, workforce.run(), this.#sources.failed]);
    } catch (err) {
      if (this.#running.size > 0)
        this.#log.error({ err }, "the controller failed; stopping the reconciles in progress");
      failed.abort(err);
      throw err;
    } finally {
      this.#queue.shutDown();
      await this.#ended(workforce, failed.signal.aborted);
      await this.#ownWrites?.stop();
      await this.#sources.stop(!signal.aborted && !ending.aborted);
      this.#log.info("all workers finished");
    }
  }

  get #allSources(): readonly Source<R>[] {
    return [...(this.#options.sources ?? []), ...this.#added];
  }

  #makeOwnWrites(): ReadYourOwnWrites<R> | undefined {
    const { cache, liveReader, client, clock, ownWritesTimeoutMs: timeoutMs } = this.#options;
    if (!cache || !liveReader || timeoutMs === undefined) return undefined;
    const live = cache.liveReader(liveReader);
    const { expectations } = cache;
    return new ReadYourOwnWrites({
      expectations,
      live,
      client,
      clock,
      timeoutMs,
      queue: this.#queue,
      metrics: this.#metrics,
    });
  }

  /** Resolves when the sources have synced, or the program begins to stop. */
  async #sourcesStarted(stopped: Promise<void>, ending: AbortSignal): Promise<void> {
    try {
      await Promise.race([this.#startSources(), stopped]);
    } catch (err) {
      if (!ending.aborted) throw err;
      this.#log.debug({ err }, "the sources were interrupted");
    }
  }

  #startSources(): Promise<void> {
    this.#synced ??= this.#sources.start(this.#toStart);
    return this.#synced;
  }

  #workforce(signal: AbortSignal): Workforce {
    const { maxConcurrentReconciles } = this.#options;
    this.#metrics.maxConcurrentReconciles.set(maxConcurrentReconciles);
    const workforce: Workforce = new Workforce(maxConcurrentReconciles, () => this.#work(signal, workforce));
    return workforce;
  }

  /** Resolves when no reconcile is in progress. A reconcile that ignores its signal must not keep a failure from being reported. */
  async #ended(workforce: Workforce | undefined, hasFailed: boolean): Promise<void> {
    const { clock } = this.#options;
    if (workforce && hasFailed)
      await endsWithin(clock, failedPatienceMs, workforce.ended, new AbortController().signal);
    else await workforce?.ended;
  }

  async #work(signal: AbortSignal, workforce: Workforce): Promise<void> {
    let endedAt: number | undefined;
    for (let taken = await this.#queue.get(); taken; taken = await this.#next(signal, endedAt)) {
      endedAt = undefined;
      if (this.#ownWrites?.holds(taken)) continue;
      this.#metrics.activeWorkers.inc();
      workforce.busy();
      try {
        endedAt = await this.#reconcile(taken, signal);
      } finally {
        workforce.free();
        this.#queue.done(taken.item);
        this.#metrics.activeWorkers.dec();
      }
    }
  }

  /** Returns a promise only if there is something to wait for. */
  #next(signal: AbortSignal, now?: number): Taken<R> | undefined | Promise<Taken<R> | undefined> {
    if (signal.aborted) return undefined;
    return this.#share.isUsedUp(now) ? this.#nextLater(signal) : (this.#queue.tryGet() ?? this.#queue.get());
  }

  async #nextLater(signal: AbortSignal): Promise<Taken<R> | undefined> {
    await this.#share.nextTurn();
    return signal.aborted ? undefined : this.#queue.get();
  }

  /** @returns the end of the reconcile, in the clock's monotonic milliseconds */
  #reconcile(taken: Taken<R>, signal: AbortSignal): Promise<number> {
    const { item } = taken;
    const causes = this.#queue.causesOf(item);
    if (!isTraced()) return this.#reconcileWithin(noSpan, causes, taken, signal);
    const told = { controller: this.name, request: item, causes, retries: this.#queue.numRequeues(item) };
    return tracedReconcile(told, (span) => this.#reconcileWithin(span, causes, taken, signal));
  }

  async #reconcileWithin(span: Span, causes: readonly Cause[], taken: Taken<R>, signal: AbortSignal): Promise<number> {
    const { clock, reconciliationTimeoutMs: timeoutMs } = this.#options;
    const limit = timeoutMs > 0 ? deadline(clock, timeoutMs, signal, "reconcile timed out") : undefined;
    const call = new ReconcileCall(this.#shared, taken.item, limit?.signal ?? signal, causes);
    if (span !== noSpan) span.set({ "kubewright.reconcile.id": call.reconcileID });
    const began = clock.monotonic();
    let ended = began;
    this.#running.set(taken.item, began);
    this.#journal?.begin(taken.item, causes);
    try {
      const result = await this.#options.reconcile(taken.item, contextOf(call));
      this.#conclude(taken, checkedResult(result ?? undefined), span);
    } catch (error) {
      this.#fail(taken, error, call, signal, span);
    } finally {
      limit?.cancel();
      if (limit?.isOver) this.#metrics.timeouts.inc();
      ended = clock.monotonic();
      this.#running.delete(taken.item);
      this.#totals.reconciles++;
      this.#totals.busyMs += ended - began;
      this.#metrics.reconcileTime.observe((ended - began) / 1_000);
    }
    return ended;
  }

  #conclude({ item, priority }: Taken<R>, result: Result, span: Span): void {
    const again = { priority: result.priority ?? priority };
    if (result.requeueAfterMs !== undefined && result.requeueAfterMs > 0) {
      this.#queue.forget(item);
      this.#queue.add(item, { ...again, afterMs: result.requeueAfterMs });
      this.#count("requeue_after", item, span);
    } else if (result.requeue) {
      this.#queue.add(item, { ...again, rateLimited: true });
      this.#count("requeue", item, span);
    } else {
      this.#queue.forget(item);
      this.#count("success", item, span);
    }
  }

  #fail({ item, priority }: Taken<R>, thrown: unknown, call: ReconcileCall<R>, stop: AbortSignal, span: Span): void {
    const panicked = isPanic(thrown);
    if (panicked) this.#metrics.panics.inc();
    if (panicked && !this.#options.recoverPanic) throw thrown;
    const err = panicked ? recovered(thrown) : thrownError(thrown);
    this.#metrics.errors.inc();
    this.#totals.errors++;
    this.#count("error", item, span, err);
    span.fail(err);
    const isTerminal = isTerminalError(err);
    if (isTerminal) this.#metrics.terminalErrors.inc();
    else this.#queue.add(item, { priority, rateLimited: true });
    if (this.#isCutShort(err, call, stop)) call.log.debug({ err }, "reconcile was interrupted");
    else
      call.log.error({ err, causes: call.causes }, isTerminal ? "reconciler error, not retried" : "reconciler error");
  }

  #isCutShort(err: Error, call: ReconcileCall<R>, stop: AbortSignal): boolean {
    if (stop.aborted && isCutShort(err, call.signal)) return true;
    return this.#ending !== undefined && isCutShort(err, this.#ending);
  }

  #count(result: ReconcileResult, item: R, span: Span, error?: Error): void {
    this.#journal?.end(item, result, error);
    this.#metrics.reconciles[result].inc();
    if (span !== noSpan) span.set({ "kubewright.reconcile.result": result });
  }
}

function abortOf(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
