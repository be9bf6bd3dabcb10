import { type Clock, systemClock } from "@kubewright/clock";
import { type Logger, silentLogger } from "@kubewright/log";
import { isOpenWrtNetworkError } from "@kubewright/openwrt";
import type { RuleService, ServiceName } from "../../uci/cnf-kind.ts";
import type { UciObject } from "../../uci/uci-object.ts";
import type { CnfApi } from "../cnf-api.ts";
import { writeChanges } from "./batch.ts";
import { type Change, nameOf, type Origin, type Written } from "./change.ts";
import { type Effect, Gathering, type Job } from "./gathering.ts";
import { type HeldCollection, HeldObjects, type HeldState } from "./held-objects.ts";
import { CnfSlowError, Pace, type Timed } from "./pace.ts";
import { type DueRestart, Restarts } from "./restarts.ts";
import { callerSpan, tracedBatch } from "./traced-batch.ts";

/** Timing, in milliseconds, of batches of changes and of service restarts. */
export interface SessionOptions {
  readonly clock?: Clock;
  /** Logger of the session. Default: silent. */
  readonly logger?: Logger;
  /** Time without a new change after which writing begins. Default 20. */
  readonly gatherMs?: number;
  /** Maximum delay before writing begins. Default 250. */
  readonly maxGatherMs?: number;
  /** Time without a new change after which a service restarts. Doubled while restarts follow each other. Default 250. */
  readonly settleMs?: number;
  /** Maximum delay of a restart after the first change that needs it. Default 4000. */
  readonly maxSettleMs?: number;
  /**
   * Called as soon as the session learns that the pod no longer has the object of a resource. Default: only the result
   * of the check reports the loss.
   */
  readonly missing?: (origin: Origin) => void;
  /** Measures whether the CNF responds in time. By default, only this session is measured. */
  readonly pace?: Pace;
  /** Runs a batch. Allows the owner to limit the number of concurrent batches. */
  readonly limit?: <T>(batch: () => Promise<T>) => Promise<T>;
}

/** The state of a session that is known without sending a request. */
export interface SessionState {
  readonly collections: readonly HeldCollection[];
  /** Number of requested changes that have not been written yet. */
  readonly pending: number;
  /** Services to be restarted. */
  readonly restarts: readonly DueRestart[];
  /** Time at which changes by others were last found on the pod, and the number of affected objects. */
  readonly driftFound: { readonly atMs: number; readonly objects: number } | undefined;
  /** Time at which the operator last reverted a change by others. */
  readonly driftRevertedMs: number | undefined;
}

/** Time after which a batch begins no more writes. */
const maxBatchMs = 1_000;
/** Interval below which two batches of a collection count as parts of one burst of changes. */
const burstMs = 1_000;
/** Maximum additional delay of a restart while the operator moves objects of the service into order. */
const maxUnorderedMs = 60_000;

/**
 * A session with one CNF pod, from one start of its container to the next. Changes that arrive together are written
 * together, in the order of their dependencies, with one read per collection and one restart per service. Writes that
 * take longer than a second are split into several batches, so that later changes need not wait for all of them.
 *
 * A change is complete only after a successful restart that began after its write. A failed restart remains due until
 * one succeeds, so requesting the same change again restarts the service even if the CNF already has the change.
 */
export class CnfSession {
  readonly #api: CnfApi;
  readonly #clock: Clock;
  readonly #options: Required<Pick<SessionOptions, "limit" | "missing" | "pace" | "maxSettleMs">>;
  readonly #gathering: Gathering;
  readonly #restarts: Restarts;
  /** Number of changes for which callers are waiting. */
  #submitted = 0;
  /** Timer of the wait for a slot, if the session is waiting for one. */
  #limitWait: Pick<Timed, "isOver"> | undefined;
  readonly #held = new HeldObjects();
  /** Kinds of the collections that the last batch did not finish putting in order, keyed by path. */
  readonly #unordered = new Map<string, Change["kind"]>();
  /** Names of foreign objects that the last check found between the operator's own objects, keyed by path. */
  readonly #othersBetween = new Map<string, readonly string[]>();
  #unorderedSinceMs = Number.POSITIVE_INFINITY;
  /** Written changes that do not require a restart. They are reported once the batch has ended and their collection is in order. */
  #finished: { readonly job: Job; readonly effect: Effect }[] = [];
  /** End of the last batch with changes to each collection, keyed by the collection's path. */
  readonly #lastBatchMs = new Map<string, number>();
  /** Number of batches that have begun or ended. It is odd during a batch. */
  #batches = 0;
  #running: Promise<void> | undefined;
  #closed: Error | undefined;
  #driftFound: SessionState["driftFound"];
  #driftRevertedMs: number | undefined;
  readonly #end = new AbortController();

  constructor(api: CnfApi, options: SessionOptions = {}) {
    this.#api = api;
    this.#clock = options.clock ?? systemClock;
    const pace = options.pace ?? new Pace(this.#clock);
    const { limit = (batch) => batch(), missing = () => {}, logger = silentLogger } = options;
    const { gatherMs = 20, maxGatherMs = 250, settleMs = 250, maxSettleMs = 4_000 } = options;
    this.#options = { limit, missing, pace, maxSettleMs };
    const [clock, held] = [this.#clock, this.#held];
    this.#gathering = new Gathering({ clock, pace, gatherMs, maxGatherMs });
    this.#restarts = new Restarts({ api, clock, logger, held, pace, settleMs, maxSettleMs });
  }

  /**
   * Requests a change.
   *
   * @returns a promise that resolves after the change has taken effect. If someone else has changed the object and the operator only
   * reports such changes, the promise resolves without a write
   * @throws {CnfSlowError} if the change was not sent because earlier requests take too long
   * @throws the CNF's error response, or the reason why the CNF cannot be reached
   */
  async submit(change: Change): Promise<Effect> {
    if (this.#closed) throw this.#closed;
    if (this.#limitWait?.isOver()) throw new CnfSlowError();
    const rejection = this.#options.pace.rejection(this.#submitted);
    if (rejection !== undefined) throw rejection;
    this.#submitted++;
    this.#held.begin(change);
    try {
      return await new Promise((resolve, reject) => {
        this.#gathering.add({ change, callerSpan: callerSpan(), resolve, reject });
        this.#begin();
      });
    } finally {
      this.#held.end(change);
      this.#submitted--;
    }
  }

  /**
   * Restarts a service. The restart also applies to changes that are waiting for one.
   *
   * @throws the CNF's error response, or the reason why the CNF cannot be reached
   */
  restart(service: RuleService): Promise<void> {
    if (this.#closed) return Promise.reject(this.#closed);
    const restarted = this.#restarts.request(service);
    this.#begin();
    return restarted;
  }

  #found(drifted: readonly Origin[]): readonly Origin[] {
    if (drifted.length > 0) this.#driftFound = { atMs: this.#clock.now(), objects: drifted.length };
    return drifted;
  }

  #begin(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#hasWork) this.#begin(); // a change was requested after the loop had ended
    });
  }

  /** Ends the session. Unfinished changes are rejected with `reason`. */
  async close(reason: Error): Promise<void> {
    this.#closed = reason;
    this.#end.abort(reason);
    this.#restarts.close(reason);
    this.#gathering.close(reason);
    for (const { job } of this.#finished.splice(0)) job.reject(reason);
    await this.#api.close();
    await this.#running;
  }

  /**
   * Checks whether the pod still has its known objects, and whether they are unchanged. Reports each missing object once. Skips only
   * objects with a change in progress, because a change to another object may be waiting for the lost object.
   *
   * @returns the resources whose objects are missing or changed
   * @throws the first error from reading a list, if nothing was found
   */
  async missing(): Promise<readonly Origin[]> {
    const missing: Origin[] = [];
    const failures: unknown[] = [];
    for (const path of this.#held.paths) {
      // Once a pod does not respond, it gets no further requests.
      if (this.#closed || isOpenWrtNetworkError(failures.at(-1))) break;
      await this.#missingAt(path, missing).catch((error: unknown) => failures.push(error));
    }
    if (missing.length === 0 && failures.length > 0) throw failures[0];
    return this.#found(missing);
  }

  async #missingAt(path: string, missing: Origin[]): Promise<void> {
    const collection = this.#api.collection(path);
    const { ended } = this.#held;
    const batches = this.#batches;
    const stored = Map.groupBy(await collection.list(), nameOf);
    missing.push(...this.#held.noteMissing(path, new Set(stored.keys()), ended));
    const one = (name: string): Promise<UciObject | undefined> => collection.get(name).catch(() => undefined);
    const isQuiet = batches % 2 === 0 && batches === this.#batches && !this.#unordered.has(path);
    if (isQuiet) this.#othersBetween.set(path, this.#held.othersBetween(path, stored));
    const displaced = isQuiet ? this.#held.displacedAt(path, stored) : new Set<string>();
    missing.push(...(await this.#held.changedAt(path, stored, one, ended, displaced)));
  }

  /** Returns the known state of the session, without sending a request to the pod. */
  inspect(): SessionState {
    return {
      collections: this.#held.collections,
      pending: this.#gathering.size,
      restarts: this.#restarts.state,
      driftFound: this.#driftFound,
      driftRevertedMs: this.#driftRevertedMs,
    };
  }

  /** Names of foreign objects that the last check found between the operator's own objects, keyed by path. */
  get othersBetween(): ReadonlyMap<string, readonly string[]> {
    return this.#othersBetween;
  }

  /** Resources whose objects the pod is known to have, without sending a request. */
  get origins(): readonly Origin[] {
    return this.#held.origins;
  }

  /** Aborts when the session ends, with the reason. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** True if the CNF is slow to respond. */
  get isSlow(): boolean {
    return this.#options.pace.isSlow;
  }

  /** Returns the known state of an object on the pod, without sending a request. */
  stateOf(path: string, name: string): HeldState | undefined {
    return this.#held.stateOf(path, name);
  }

  get #hasWork(): boolean {
    return !this.#closed && (this.#gathering.size > 0 || this.#unordered.size > 0 || this.#restarts.size > 0);
  }

  async #run(): Promise<void> {
    const [gathering, restarts] = [this.#gathering, this.#restarts];
    while (this.#hasWork) {
      const isOverdue = this.#clock.monotonic() - this.#unorderedSinceMs >= this.#options.maxSettleMs;
      if (gathering.size > 0) await gathering.quiet();
      else if (this.#unordered.size > 0 && !isOverdue && (await gathering.arrival(restarts.settleMs))) continue;
      if (gathering.size > 0 || this.#unordered.size > 0)
        await this.#limited(() => {
          const jobs = gathering.next();
          if (jobs.length === 0 && this.#unordered.size === 0) return Promise.resolve(); // all callers stopped waiting
          const spans = jobs.map((job) => job.callerSpan);
          return tracedBatch("cnf changes", spans, () => this.#write(jobs));
        });
      const except = this.#servicesToWaitFor();
      const leftMs = restarts.leftMs(except);
      if (leftMs === undefined) continue;
      const isBusy = gathering.size > 0 || this.#unordered.size > 0;
      if (isBusy && leftMs > 0) continue;
      if (leftMs > 0 && (await gathering.arrival(Math.min(restarts.settleMs, leftMs)))) continue;
      await this.#limited(() => {
        const spans = restarts.jobs.map((job) => job.callerSpan);
        return tracedBatch("cnf restart", spans, () => restarts.run(except));
      });
    }
  }

  /**
   * Reports whether moves in a collection must wait because the collection keeps changing. Otherwise, each batch might
   * move the objects of all earlier batches.
   */
  #defersMoves(path: string): boolean {
    const nowMs = this.#clock.monotonic();
    const lastMs = this.#lastBatchMs.get(path) ?? Number.NEGATIVE_INFINITY;
    return nowMs - lastMs < burstMs && nowMs - this.#unorderedSinceMs < this.#options.maxSettleMs;
  }

  /** Returns the services that must not restart yet because a restart would apply objects in the wrong order. */
  #servicesToWaitFor(): ReadonlySet<ServiceName> {
    const leftMs = this.#restarts.leftMs() ?? 0;
    if (leftMs < -maxUnorderedMs) return new Set();
    return new Set([...this.#unordered.values()].flatMap((kind) => this.#held.serviceOf(kind)?.name ?? []));
  }

  /** Runs work as soon as a slot is available for this CNF. If this takes too long, rejects the waiting changes. */
  async #limited(work: () => Promise<void>): Promise<void> {
    const { pace, limit } = this.#options;
    this.#limitWait = pace.wait();
    const timer = this.#clock.after(pace.maxWaitMs, () => this.#rejectPending(), { unref: true });
    await limit(() => {
      timer.cancel();
      this.#limitWait = undefined;
      return work();
    });
  }

  /** Rejects all waiting changes. Services whose changes have already been written are restarted anyway. */
  #rejectPending(): void {
    this.#gathering.reject(new CnfSlowError());
    this.#restarts.rejectJobs(new CnfSlowError());
  }

  async #write(jobs: readonly Job[]): Promise<void> {
    const byChange = new Map(jobs.map((job) => [job.change, job]));
    const lost: Origin[] = [];
    const time = this.#options.pace.batch();
    const beganMs = this.#clock.monotonic();
    let fullMs = Number.POSITIVE_INFINITY;
    let failure: unknown;
    const unfinished = { kinds: [...this.#unordered.values()], areLast: this.#batches % 4 < 2 }; // alternates with newer changes
    this.#unordered.clear();
    this.#batches++;
    const rest = await writeChanges(
      this.#api,
      [...byChange.keys()],
      {
        has: (change) => this.#held.has(change),
        isUnchanged: (change, stored) => this.#held.isUnchanged(change, stored),
        ordersAt: (path) => this.#held.ordersAt(path),
        listed: (path, names) => lost.push(...this.#held.noteMissing(path, names)),
        defersMoves: (path) => jobs.length > 0 && this.#defersMoves(path),
        isOver: time.isOver,
        writing: () => {
          const nowMs = this.#clock.monotonic();
          fullMs = nowMs + Math.max(maxBatchMs, nowMs - beganMs); // reads use at most half of the time
        },
        isFull: () => this.#clock.monotonic() >= fullMs,
        done: (change, written) => {
          if ("error" in written && isOpenWrtNetworkError(written.error)) failure = written.error;
          const job = byChange.get(change);
          if (job) this.#written(job, written);
        },
        moved: (kind, name) => {
          this.#held.noteMoved(kind, name);
          const service = this.#held.serviceOf(kind);
          if (service) this.#restarts.require(service);
        },
        lost: (kind, name) => {
          const origin = this.#held.noteLost(kind, name);
          if (origin) lost.push(origin);
        },
      },
      unfinished,
    );
    this.#batches++;
    time.end(failure);
    const endedMs = this.#clock.monotonic();
    for (const { change } of jobs) this.#lastBatchMs.set(change.kind.path, endedMs);
    for (const kind of this.#closed ? [] : rest.unordered) this.#unordered.set(kind.path, kind);
    if (this.#unordered.size === 0) this.#unorderedSinceMs = Number.POSITIVE_INFINITY;
    else this.#unorderedSinceMs = Math.min(this.#unorderedSinceMs, endedMs);
    this.#resolveFinished();
    this.#gathering.postpone(rest.changes.flatMap((change) => byChange.get(change) ?? []));
    this.#found(lost);
    const own = new Set(jobs.map(({ change }) => originId(change.origin)));
    for (const origin of lost) if (!own.has(originId(origin))) this.#options.missing(origin);
  }

  #finish(job: Job, effect: Effect): void {
    if (job.change.order && !job.change.kind.service) this.#finished.push({ job, effect });
    else job.resolve(effect);
  }

  #resolveFinished(): void {
    const finished = this.#finished;
    this.#finished = finished.filter(({ job }) => this.#unordered.has(job.change.kind.path));
    const waiting = new Set(this.#finished);
    for (const each of finished) if (!waiting.has(each)) each.job.resolve(each.effect);
  }

  #written(job: Job, written: Written): void {
    if (this.#closed) job.reject(this.#closed);
    else if ("error" in written) job.reject(written.error);
    else {
      const { changed, drifted = false, displaced = false, moved = false, shown } = written;
      const effect = { changed, ...(drifted ? { drifted } : {}), ...(displaced ? { displaced } : {}) };
      if (drifted && !changed) this.#found([job.change.origin]);
      if (drifted && changed) this.#driftRevertedMs = this.#clock.now();
      if (drifted && !changed) job.resolve(effect);
      else if (this.#held.note(job.change, changed || moved, shown)) this.#finish(job, effect);
      else {
        job.change.onSent?.();
        this.#restarts.add(job, effect);
      }
    }
  }
}

const originId = ({ kind, key }: Origin): string => `${kind} ${key}`;
