import { channel } from "node:diagnostics_channel";
import { groupKindKey, isCutShort, splitKey } from "@kubewright/apimachinery";
import { type ReadWriter, spanOfWrite } from "@kubewright/client";
import { type Clock, EventLoopShare, systemRandom } from "@kubewright/clock";
import { isPanic, type Logger } from "@kubewright/log";
import type { EventRecorder } from "@kubewright/recorder";
import { type Attributes, noSpan, type Span, type SpanLink, Tracer } from "@kubewright/tracing";
import type { ControllerMetrics } from "./controller-metrics.ts";
import type { CompletedOptions } from "./controller-options.ts";
import { deadline, endsWithin } from "./deadline.ts";
import { isTerminalError, recovered, thrownError } from "./errors.ts";
import { History, type ReconcileNotes } from "./history.ts";
import type { PausedRequest } from "./inspection.ts";
import type { ReadYourOwnWrites } from "./read-your-own-writes.ts";
import type { ReconcileContext } from "./reconciler.ts";
import type { ReconcileRecording } from "./recording.ts";
import { type Cause, checkedResult, type Result } from "./request.ts";
import type { PrioritizedRequest, RequestQueue } from "./request-queue.ts";
import type { HeldTerm, ShardedWork } from "./sharded-work.ts";

/** Maximum wait for reconciles in progress after the controller has failed. It equals a manager's grace period. */
const failedPatienceMs = 30_000;

/** Maximum number of paused requests. */
const maxPaused = 1_000;

const tracer = new Tracer("@kubewright/controller");

/** Channel that notifies tools that run a program of reconciles that begin and end. */
const reconciles = channel("kubewright.controller.reconcile");

/**
 * Reconciles a queue's requests. Workers are started on demand, because each one takes memory and a controller may
 * allow hundreds of workers without ever needing them: one worker is always waiting for work, unless
 * `maxConcurrentReconciles` workers are already running.
 */
export class WorkerPool<R> {
  readonly #options: CompletedOptions<R>;
  readonly #queue: RequestQueue<R>;
  readonly #metrics: ControllerMetrics;
  readonly #ownWrites: ReadYourOwnWrites<R> | undefined;
  readonly #sharded: ShardedWork<R> | undefined;
  readonly #share: EventLoopShare;
  readonly #shared: SharedContext<R>;
  readonly #running = new Map<R, number>();
  readonly #paused = new Map<R, PausedRequest & { parked?: PrioritizedRequest<R> }>();
  /** Totals since the controller was created. */
  readonly totals: { reconciles: number; errors: number; busyMs: number } = { reconciles: 0, errors: 0, busyMs: 0 };
  readonly #ended = Promise.withResolvers<void>();
  readonly #failure = Promise.withResolvers<never>();
  #workers = 0;
  #waiting = 0;
  #stopping: AbortSignal | undefined;
  #history: History<R> | undefined;

  constructor(
    options: CompletedOptions<R>,
    parts: {
      readonly queue: RequestQueue<R>;
      readonly metrics: ControllerMetrics;
      readonly ownWrites: ReadYourOwnWrites<R> | undefined;
      readonly sharded?: ShardedWork<R> | undefined;
    },
  ) {
    const { queue, metrics, ownWrites } = parts;
    this.#sharded = parts.sharded;
    this.#options = options;
    this.#queue = queue;
    this.#metrics = metrics;
    this.#ownWrites = ownWrites;
    const { client, clock, logger, recorder } = options;
    this.#share = EventLoopShare.of(clock);
    this.#shared = {
      clientFor: (request, log, own = client) => ownWrites?.clientFor(request, log, own) ?? own,
      recorder,
      clock,
      log: logger,
      notes: (request) => this.#history?.notes(request),
    };
  }

  /** Start times of the reconciles in progress, in monotonic milliseconds of the clock. */
  get running(): ReadonlyMap<R, number> {
    return this.#running;
  }

  /** Paused requests. */
  get paused(): ReadonlyMap<R, PausedRequest> {
    return this.#paused;
  }

  /**
   * Called when a request has been queued. If its object was deleted, the pause ends, because otherwise it would also apply to a new object
   * with the same name.
   */
  noteCause(request: R, cause: Cause): void {
    if (this.#paused.size === 0 || !this.#isDeletion(request, cause) || !this.resume(request)) return;
    this.#options.logger.info({ key: request }, "resumed a paused request, because its object was deleted");
  }

  #isDeletion(request: R, cause: Cause): boolean {
    const main = this.#options.described?.for;
    return (
      cause.type === "delete" && cause.key === request && main !== undefined && cause.source === groupKindKey(main)
    );
  }

  /** Pauses a request. A reconcile in progress continues. @returns false if too many requests are paused */
  pause(request: R, by: string): boolean {
    if (this.#paused.has(request)) return true;
    if (this.#paused.size >= maxPaused) return false;
    this.#paused.set(request, { sinceMs: this.#options.clock.monotonic(), by });
    return true;
  }

  /** Resumes a request. If it was queued in the meantime, it is reconciled. @returns false if it is not paused */
  resume(request: R): boolean {
    const paused = this.#paused.get(request);
    this.#paused.delete(request);
    if (paused?.parked) {
      const { item, priority } = paused.parked;
      // Each cause is added again; otherwise, the causes would be lost.
      const [first, ...others] = this.#queue.causesOf(item);
      for (const cause of [first, ...others]) this.#queue.add(item, { priority, cause });
      this.#queue.done(item);
    }
    return paused !== undefined;
  }

  /** Returns the history of reconciles. Recording begins with the first call. */
  recordHistory(): History<R> {
    const { clock, described } = this.#options;
    this.#history ??= new History(clock, described?.for && groupKindKey(described.for));
    return this.#history;
  }

  /** The history, if recording has begun. */
  get history(): History<R> | undefined {
    return this.#history;
  }

  /**
   * Starts with one worker. Settles when all workers have ended or one has failed. Others may then continue until {@link ended}.
   *
   * @param stopping aborts when the program begins to stop; a reconcile that is interrupted for that reason is not reported as failed
   */
  run(signal: AbortSignal, stopping: AbortSignal): Promise<void> {
    this.#stopping = stopping;
    this.#metrics.maxConcurrentReconciles.set(this.#options.maxConcurrentReconciles);
    this.#startWorker(signal);
    return Promise.race([this.#ended.promise, this.#failure.promise]);
  }

  /**
   * Resolves when no reconcile is in progress. After a failure, the wait is limited, so that a reconcile that ignores its signal does not
   * delay the report.
   */
  async ended(hasFailed: boolean): Promise<void> {
    if (this.#stopping === undefined) return; // was not started
    const ended = this.#ended.promise;
    if (hasFailed) await endsWithin(this.#options.clock, failedPatienceMs, ended, new AbortController().signal);
    else await ended;
  }

  #startWorker(signal: AbortSignal): void {
    this.#workers++;
    this.#waiting++;
    this.#work(signal)
      .catch(this.#failure.reject)
      .then(() => {
        this.#workers--;
        this.#waiting--;
        if (this.#workers === 0) this.#ended.resolve();
      });
  }

  async #work(signal: AbortSignal): Promise<void> {
    let endedAt: number | undefined;
    for (let dequeued = await this.#queue.get(); dequeued; dequeued = await this.#next(signal, endedAt)) {
      endedAt = undefined;
      const term = this.#sharded?.termOf(dequeued.item);
      if (this.#sharded && !term) {
        this.#queue.forget(dequeued.item); // the next holder starts with its own objects
        this.#queue.done(dequeued.item);
        continue;
      }
      if (this.#parks(dequeued) || this.#ownWrites?.holds(dequeued)) continue;
      this.#metrics.activeWorkers.inc();
      this.#waiting--;
      if (this.#waiting === 0 && this.#workers < this.#options.maxConcurrentReconciles) this.#startWorker(signal);
      term?.begin();
      try {
        endedAt = await this.#reconcile(dequeued, signal, term);
      } finally {
        term?.end();
        this.#waiting++;
        this.#queue.done(dequeued.item);
        this.#metrics.activeWorkers.dec();
      }
    }
  }

  /** Reports whether a request from the queue is paused. Then {@link resume} calls `done` for it. */
  #parks(dequeued: PrioritizedRequest<R>): boolean {
    if (this.#paused.size === 0) return false;
    const paused = this.#paused.get(dequeued.item);
    if (!paused) return false;
    this.#queue.hold?.(dequeued.item);
    paused.parked = dequeued;
    return true;
  }

  /** Returns the next request. The result is a promise only if the worker has to wait. */
  #next(
    signal: AbortSignal,
    now?: number,
  ): PrioritizedRequest<R> | undefined | Promise<PrioritizedRequest<R> | undefined> {
    if (signal.aborted) return undefined;
    return this.#share.isUsedUp(now) ? this.#nextLater(signal) : (this.#queue.tryGet() ?? this.#queue.get());
  }

  async #nextLater(signal: AbortSignal): Promise<PrioritizedRequest<R> | undefined> {
    await this.#share.nextTurn();
    return signal.aborted ? undefined : this.#queue.get();
  }

  /** Reconciles a request. @returns the time at which the reconcile ended, in monotonic milliseconds of the clock */
  #reconcile(dequeued: PrioritizedRequest<R>, working: AbortSignal, term: HeldTerm | undefined): Promise<number> {
    const signal = term && this.#sharded ? this.#sharded.signalOf(term, working) : working;
    const { item } = dequeued;
    const causes = this.#queue.causesOf(item);
    if (!tracer.isOn) return this.#reconcileWithin(noSpan, causes, dequeued, signal, term);
    const attributes = {
      "kubewright.controller": this.#options.name,
      "kubewright.reconcile.retries": this.#queue.numRequeues(item),
      ...attributesOfRequest(item),
    };
    return traced(attributes, causes, (span) => this.#reconcileWithin(span, causes, dequeued, signal, term));
  }

  async #reconcileWithin(
    span: Span,
    causes: readonly Cause[],
    dequeued: PrioritizedRequest<R>,
    signal: AbortSignal,
    term: HeldTerm | undefined,
  ): Promise<number> {
    const { clock, reconciliationTimeoutMs: timeoutMs } = this.#options;
    const limit = Number.isFinite(timeoutMs) ? deadline(clock, timeoutMs, signal, "reconcile timed out") : undefined;
    const call = new ReconcileCall(this.#shared, dequeued.item, limit?.signal ?? signal, causes, term);
    const recorder = this.#options.recording?.recorder;
    if (recorder) {
      const { request, signal: stop } = call;
      call.recording = recorder.begin({ controller: this.#options.name, request, causes, clock, signal: stop });
    }
    if (span !== noSpan) span.set({ "kubewright.reconcile.id": call.reconcileID });
    const began = clock.monotonic();
    let ended = began;
    this.#running.set(dequeued.item, began);
    this.#publish("begins", dequeued.item);
    try {
      const result = checkedResult((await this.#options.reconcile(dequeued.item, contextOf(call))) ?? undefined);
      call.recording?.end({ result, reconcileID: call.usedID, tookMs: clock.monotonic() - began });
      this.#conclude(dequeued, result, call, span);
    } catch (error) {
      this.#fail(dequeued, error, call, signal, span);
    } finally {
      limit?.cancel();
      if (limit?.isOver) this.#metrics.timeouts.inc();
      ended = clock.monotonic();
      this.#running.delete(dequeued.item);
      this.#publish("ends", dequeued.item);
      this.totals.reconciles++;
      this.totals.busyMs += ended - began;
      this.#metrics.reconcileTime.observe((ended - began) / 1_000);
    }
    return ended;
  }

  #publish(event: "begins" | "ends", request: R): void {
    if (reconciles.hasSubscribers) reconciles.publish({ event, controller: this.#options.name, request });
  }

  #conclude({ item, priority }: PrioritizedRequest<R>, result: Result, call: ReconcileCall<R>, span: Span): void {
    const again = { priority: result.priority ?? priority };
    if (result.requeueAfterMs !== undefined && result.requeueAfterMs > 0) {
      this.#queue.forget(item);
      this.#queue.add(item, { ...again, afterMs: result.requeueAfterMs });
      this.#count("requeue_after", call, span);
    } else if (result.requeue) {
      this.#queue.add(item, { ...again, rateLimited: true });
      this.#count("requeue", call, span);
    } else {
      this.#queue.forget(item);
      this.#count("success", call, span);
    }
  }

  #fail(
    { item, priority }: PrioritizedRequest<R>,
    thrown: unknown,
    call: ReconcileCall<R>,
    stop: AbortSignal,
    span: Span,
  ): void {
    const panicked = isPanic(thrown);
    const isTerminal = isTerminalError(thrown);
    if (panicked) this.#metrics.panics.inc();
    if (call.recording) {
      const now = this.#options.clock.monotonic();
      const tookMs = now - (this.#running.get(item) ?? now);
      const error = thrownError(thrown);
      call.recording.end({ error, isPanic: panicked, isTerminal, reconcileID: call.usedID, tookMs });
    }
    if (panicked && !this.#options.recoverPanic) throw thrown;
    const err = panicked ? recovered(thrown) : thrownError(thrown);
    this.#metrics.errors.inc();
    this.totals.errors++;
    this.#count("error", call, span, err);
    span.fail(err);
    if (isTerminal) this.#metrics.terminalErrors.inc();
    else this.#queue.add(item, { priority, rateLimited: true });
    if (this.#isCutShort(err, call, stop)) call.log.debug({ err }, "reconcile was interrupted");
    else
      call.log.error({ err, causes: call.causes }, isTerminal ? "reconciler error, not retried" : "reconciler error");
  }

  #isCutShort(err: Error, call: ReconcileCall<R>, stop: AbortSignal): boolean {
    if (stop.aborted && isCutShort(err, call.signal)) return true;
    return this.#stopping !== undefined && isCutShort(err, this.#stopping);
  }

  #count(result: keyof ControllerMetrics["reconciles"], call: ReconcileCall<R>, span: Span, error?: Error): void {
    if (this.#history) {
      const { request, causes, usedID: reconcileID, notes } = call;
      const now = this.#options.clock.monotonic();
      const tookMs = now - (this.#running.get(request) ?? now);
      const traceID = span === noSpan ? undefined : span.context?.traceId;
      this.#history.end({ request, causes, tookMs, reconcileID, traceID, notes }, result, error);
    }
    this.#metrics.reconciles[result].inc();
    if (span !== noSpan) span.set({ "kubewright.reconcile.result": result });
  }
}

/** Values that all reconciles of a controller share. */
interface SharedContext<R> {
  /** Creates the client for one call, on first use. */
  readonly clientFor: (request: R, log: () => Logger, own: ReadWriter | undefined) => ReadWriter;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly log: Logger;
  /** Creates the notes about one call. Undefined if nothing is recorded. */
  readonly notes: (request: R) => ReconcileNotes | undefined;
}

/** Context of one call. Logger, client and ID are created on first use, because most reconciles need none of them. */
class ReconcileCall<R> implements ReconcileContext {
  readonly recorder: EventRecorder;
  readonly signal: AbortSignal;
  readonly causes: readonly Cause[];
  readonly request: R;
  readonly #shared: SharedContext<R>;
  readonly #term: HeldTerm | undefined;
  /** Notes about the call. Undefined if the call has used neither its client nor its logger, or if nothing is recorded. */
  notes: ReconcileNotes | undefined;
  /** Recording of the call, if reconciles are recorded. */
  recording: ReconcileRecording | undefined;
  #reconcileID: string | undefined;
  #log: Logger | undefined;
  #client: ReadWriter | undefined;

  constructor(
    shared: SharedContext<R>,
    request: R,
    signal: AbortSignal,
    causes: readonly Cause[],
    term: HeldTerm | undefined,
  ) {
    this.#shared = shared;
    this.#term = term;
    this.recorder = shared.recorder;
    this.request = request;
    this.signal = signal;
    this.causes = causes;
  }

  /** The ID, if it has been used. */
  get usedID(): string | undefined {
    return this.#reconcileID;
  }

  get reconcileID(): string {
    this.#reconcileID ??= systemRandom.uuid();
    return this.#reconcileID;
  }

  get client(): ReadWriter {
    if (!this.#client) {
      let client = this.#shared.clientFor(this.request, () => this.log, this.#term?.client);
      this.notes ??= this.#shared.notes(this.request);
      if (this.notes) client = this.notes.client(client);
      this.#client = this.recording?.client(client) ?? client;
    }
    return this.#client;
  }

  get clock(): Clock {
    return this.recording?.clock ?? this.#shared.clock;
  }

  /** A function that is bound to the call, so that reconcilers can destructure the context. */
  get observe(): ReconcileContext["observe"] {
    const { recording } = this;
    return recording ? (name, ask) => recording.observe(name, ask) : observeOnly;
  }

  get log(): Logger {
    if (!this.#log) {
      const log = this.#shared.log.child({ ...logFieldsOf(this.request), reconcileID: this.reconcileID });
      this.notes ??= this.#shared.notes(this.request);
      this.#log = this.notes?.logger(log) ?? log;
    }
    return this.#log;
  }
}

/** Calls the function of an observation that is not recorded. */
const observeOnly: ReconcileContext["observe"] = async (_name, ask) => ask();

const keys: readonly (keyof ReconcileContext)[] = [
  ...(["client", "log", "signal", "causes", "recorder", "reconcileID", "clock", "observe"] as const),
];

const asFields: ProxyHandler<ReconcileContext> = {
  get: (call, key) => Reflect.get(call, key),
  ownKeys: () => keys,
  getOwnPropertyDescriptor: (call, key) =>
    keys.some((known) => known === key)
      ? { value: Reflect.get(call, key), enumerable: true, configurable: true, writable: true }
      : undefined,
};

/**
 * Returns a call as a context for reconcilers. It has fields, so that `{ ...context }` copies all of them. A proxy is used because defining
 * lazy fields on each object would take twice as long as a reconcile that has nothing to do.
 */
const contextOf = (call: ReconcileContext): ReconcileContext => new Proxy(call, asFields);

/** Returns the log fields for a request. Requests that are not keys are logged unchanged. */
function logFieldsOf(request: unknown): object {
  const names = namesOf(request);
  if (!names) return { request };
  return names.namespace ? names : { name: names.name };
}

/**
 * Traces a reconcile as a span named `reconcile`. Each cause is an event of the span and, if this process made the write, also a link to
 * the call that wrote the object. Calls of the reconcile's client are child spans.
 */
function traced<T>(attributes: Attributes, causes: readonly Cause[], work: (span: Span) => Promise<T>): Promise<T> {
  const links = causes.map(linkTo);
  const options = { links: links.filter((link) => link !== undefined), attributes };
  return tracer.within("reconcile", options, async (span) => {
    for (const cause of causes) span.event("cause", attributesOf(cause));
    const done = await work(span);
    // A watch may report a write before its response has arrived.
    for (const cause of causes.filter((_, index) => !links[index])) {
      const late = linkTo(cause);
      if (late) span.link(late);
    }
    return done;
  });
}

function linkTo(cause: Cause): SpanLink | undefined {
  const { source, key, resourceVersion } = cause;
  const context = resourceVersion === undefined ? undefined : spanOfWrite(source, key, resourceVersion);
  return context && { context, attributes: attributesOf(cause) };
}

function attributesOf({ source, type, key, resourceVersion }: Cause): Attributes {
  return {
    "kubewright.cause.source": source,
    "kubewright.cause.type": type,
    "kubewright.cause.key": key,
    ...(resourceVersion === undefined ? {} : { "kubewright.cause.resource_version": resourceVersion }),
  };
}

/** Returns the span attributes for a request. A request that is not a key may contain confidential data, so it has no attributes. */
function attributesOfRequest(request: unknown): Attributes {
  const names = namesOf(request);
  if (!names) return {};
  return { "kubewright.object.name": names.name, "k8s.namespace.name": names.namespace };
}

/** Returns the parts of a key, or `undefined` if a request is not a key. */
function namesOf(request: unknown): { readonly namespace: string | undefined; readonly name: string } | undefined {
  if (typeof request !== "string") return undefined;
  try {
    return splitKey(request);
  } catch {
    return undefined;
  }
}
