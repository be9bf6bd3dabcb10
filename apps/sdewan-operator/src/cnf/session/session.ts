import { Backoff, type Clock, systemClock, type Timer } from "@kubewright/clock";
import { type Logger, silentLogger } from "@kubewright/log";
import { isOpenWrtNetworkError } from "@kubewright/openwrt";
import type { RuleService, ServiceName } from "../../uci/cnf-kind.ts";
import type { UciObject } from "../../uci/uci-object.ts";
import type { CnfApi } from "../cnf-api.ts";
import { type Change, nameOf, type Origin, type Written, writeChanges } from "./batch.ts";
import { type HeldCollection, HeldObjects, type HeldState } from "./held-objects.ts";
import { CnfSlowError, Pace, type Timed } from "./pace.ts";
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
  /** Called immediately with a resource whose object the pod no longer has. Default: only the result of the check reports the loss. */
  readonly missing?: (origin: Origin) => void;
  /** Measures whether the CNF responds in time. Default: a measurement of this session alone. */
  readonly pace?: Pace;
  /** Runs a batch. Allows the owner to limit the number of concurrent batches. */
  readonly limit?: <T>(batch: () => Promise<T>) => Promise<T>;
}

/** State of a session that is known without a request. */
export interface SessionState {
  readonly collections: readonly HeldCollection[];
  /** Number of requested changes that have not been written yet. */
  readonly pending: number;
  /**
   * Services to be restarted. For each, the number of changes that need the restart and, if the restart is due, the time at which it became
   * due, in milliseconds since 1970.
   */
  readonly restarts: readonly {
    readonly service: ServiceName;
    readonly changes: number;
    readonly sinceMs: number | undefined;
  }[];
  /** Time at which a change by others was last found on the pod, and number of affected objects. */
  readonly driftFound: { readonly atMs: number; readonly objects: number } | undefined;
  /** Time at which a change by others was last reverted. */
  readonly driftRevertedMs: number | undefined;
}

/** Result of a change on one pod. */
export interface Effect {
  /** True if the operator had to write to the CNF. */
  readonly changed: boolean;
  /** True if the CNF did not have the object as the operator left it. */
  readonly drifted?: boolean;
}

interface Job {
  readonly change: Change;
  readonly callerSpan: ReturnType<typeof callerSpan>;
  readonly resolve: (result: Effect) => void;
  readonly reject: (error: unknown) => void;
  /** Number of batches that reached their time limit before they wrote this change. */
  postponed: number;
  /** Timer that starts with the first batch that contains the change; undefined before that. */
  wait: Pick<Timed, "isOver"> | undefined;
}

interface PendingRestart {
  readonly service: RuleService;
  readonly sinceMs: number;
  readonly jobs: { readonly job: Job; readonly effect: Effect }[];
  /** Callers that requested the restart itself. */
  readonly callers: { readonly resolve: () => void; readonly reject: (error: unknown) => void }[];
}

/** Interval below which two restarts count as following each other. */
const streamMs = 10_000;
/** Time after which a batch begins no more writes. */
const maxBatchMs = 1_000;

/**
 * Session with one CNF pod, from one start of its container to the next. Changes that arrive together are written together, in the order of
 * their dependencies, with one read of each collection and one restart of each service. Writes that take longer than a second are split
 * into several batches, so that later changes do not wait for all of them.
 *
 * A change is complete only after a successful restart that began after its write. A failed restart remains due until one succeeds.
 * Therefore, requesting the same change again restarts the service, even though the CNF already has the change.
 */
export class CnfSession {
  readonly #api: CnfApi;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #options: Required<Omit<SessionOptions, "clock" | "logger">>;
  readonly #settle: Backoff;
  #settleMs: number;
  #lastRestartMs = Number.NEGATIVE_INFINITY;
  #pending: Job[] = [];
  /** Number of changes for which callers are waiting. */
  #submitted = 0;
  /** Timer of the wait for a slot, if the session is waiting for one. */
  #limitWait: Pick<Timed, "isOver"> | undefined;
  readonly #pendingRestarts = new Map<ServiceName, PendingRestart>();
  readonly #held = new HeldObjects();
  #running: Promise<void> | undefined;
  #arrived: (() => void) | undefined;
  #closed: Error | undefined;
  #driftFound: SessionState["driftFound"];
  #driftRevertedMs: number | undefined;

  constructor(api: CnfApi, options: SessionOptions = {}) {
    this.#api = api;
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? silentLogger;
    this.#options = {
      gatherMs: options.gatherMs ?? 20,
      maxGatherMs: options.maxGatherMs ?? 250,
      settleMs: options.settleMs ?? 250,
      maxSettleMs: options.maxSettleMs ?? 4_000,
      limit: options.limit ?? ((batch) => batch()),
      missing: options.missing ?? (() => {}),
      pace: options.pace ?? new Pace(this.#clock),
    };
    const { settleMs, maxSettleMs } = this.#options;
    this.#settle = new Backoff({ baseMs: settleMs, maxMs: Math.max(settleMs, maxSettleMs / 2) });
    this.#settleMs = this.#settle.next();
  }

  /**
   * Requests a change.
   *
   * @returns once the change has taken effect, or once it is known that someone else changed the object and that this
   * is not to be reverted
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
        this.#pending.push({ change, callerSpan: callerSpan(), resolve, reject, postponed: 0, wait: undefined });
        this.#arrived?.();
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
    return new Promise((resolve, reject) => {
      this.#pendingRestartOf(service).callers.push({ resolve, reject });
      this.#begin();
    });
  }

  #found(drifted: readonly Origin[]): readonly Origin[] {
    if (drifted.length > 0) this.#driftFound = { atMs: this.#clock.now(), objects: drifted.length };
    return drifted;
  }

  #begin(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Ends the session. Unfinished changes are rejected with `reason`. */
  async close(reason: Error): Promise<void> {
    this.#closed = reason;
    for (const { reject } of this.#pending.splice(0)) reject(reason);
    for (const { jobs, callers } of this.#pendingRestarts.values())
      for (const { reject } of [...jobs.map(({ job }) => job), ...callers]) reject(reason);
    this.#pendingRestarts.clear();
    this.#arrived?.();
    await this.#api.close();
    await this.#running;
  }

  /**
   * Checks whether the pod still has its known objects, and whether they are unchanged. Reports each missing object once. Skips
   * objects with a change in progress, but no others: a change may itself be waiting for an object that was lost.
   *
   * @returns the resources whose objects are missing or changed
   * @throws the first failure to read a list, if nothing was found
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
    const stored = Map.groupBy(await collection.list(), nameOf);
    missing.push(...this.#held.noteMissing(path, new Set(stored.keys()), ended));
    const one = (name: string): Promise<UciObject | undefined> => collection.get(name).catch(() => undefined);
    missing.push(...(await this.#held.changedAt(path, stored, one, ended)));
  }

  /** Returns the known state of the session, without sending a request to the pod. */
  inspect(): SessionState {
    const offsetMs = this.#clock.now() - this.#clock.monotonic();
    const due = [...this.#pendingRestarts.values()].map(({ service, sinceMs, jobs }) => ({
      service: service.name,
      changes: jobs.length,
      sinceMs: sinceMs + offsetMs,
    }));
    const withoutJobs = [...this.#held.uncovered]
      .filter(([name]) => !this.#pendingRestarts.has(name))
      .map(([service, changes]) => ({ service, changes, sinceMs: undefined }));
    return {
      collections: this.#held.collections,
      pending: this.#pending.length,
      restarts: [...due, ...withoutJobs],
      driftFound: this.#driftFound,
      driftRevertedMs: this.#driftRevertedMs,
    };
  }

  /** Resources whose objects the pod is known to have, without sending a request. */
  get origins(): readonly Origin[] {
    return this.#held.origins;
  }

  /** True if the CNF is slow to respond. */
  get isSlow(): boolean {
    return this.#options.pace.isSlow;
  }

  /** Returns the known state of an object on the pod, without sending a request. */
  stateOf(path: string, name: string): HeldState | undefined {
    return this.#held.stateOf(path, name);
  }

  async #run(): Promise<void> {
    while (!this.#closed && (this.#pending.length > 0 || this.#pendingRestarts.size > 0)) {
      if (this.#pending.length > 0) {
        await this.#quiet();
        await this.#limited(() => {
          const jobs = this.#nextJobs();
          if (jobs.length === 0) return Promise.resolve(); // all callers stopped waiting
          const spans = jobs.map((job) => job.callerSpan);
          return tracedBatch("cnf changes", spans, () => this.#write(jobs));
        });
      }
      if (this.#pendingRestarts.size === 0) continue;
      const dueMs =
        Math.min(...[...this.#pendingRestarts.values()].map(({ sinceMs }) => sinceMs)) + this.#options.maxSettleMs;
      const leftMs = dueMs - this.#clock.monotonic();
      if (this.#pending.length > 0 && leftMs > 0) continue;
      if (leftMs > 0 && (await this.#arrival(Math.min(this.#settleMs, leftMs)))) continue;
      await this.#limited(() => {
        const covered = [...this.#pendingRestarts.values()].flatMap(({ jobs }) =>
          jobs.map(({ job }) => job.callerSpan),
        );
        return tracedBatch("cnf restart", covered, () => this.#restart());
      });
    }
  }

  /** Runs work as soon as this CNF gets a slot. If that takes too long, rejects the waiting changes. */
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

  /** Rejects all waiting changes. The services of changes that are already written still restart. */
  #rejectPending(): void {
    const written = [...this.#pendingRestarts.values()].flatMap(({ jobs }) => jobs.splice(0).map(({ job }) => job));
    for (const { reject } of [...this.#pending.splice(0), ...written]) reject(new CnfSlowError());
  }

  /** Resolves when no more changes arrive, or when the maximum delay is over. */
  async #quiet(): Promise<void> {
    const endMs = this.#clock.monotonic() + this.#options.maxGatherMs;
    for (let leftMs = endMs; leftMs > 0; leftMs = endMs - this.#clock.monotonic())
      if (!(await this.#arrival(Math.min(this.#options.gatherMs, leftMs)))) return;
  }

  /** Reports whether another change arrived, or the session was closed, within `ms`. */
  #arrival(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      let timer: Timer | undefined;
      const finish = (arrived: boolean): void => {
        timer?.cancel();
        this.#arrived = undefined;
        resolve(arrived);
      };
      if (this.#closed) return finish(false);
      timer = this.#clock.after(ms, () => finish(false));
      this.#arrived = () => finish(true);
    });
  }

  async #write(jobs: readonly Job[]): Promise<void> {
    const byChange = new Map(jobs.map((job) => [job.change, job]));
    const lost: Origin[] = [];
    const time = this.#options.pace.batch();
    const beganMs = this.#clock.monotonic();
    let fullMs = Number.POSITIVE_INFINITY;
    let failure: unknown;
    const open = await writeChanges(this.#api, [...byChange.keys()], {
      has: (change) => this.#held.has(change),
      isUnchanged: (change, stored) => this.#held.isUnchanged(change, stored),
      listed: (path, names) => lost.push(...this.#held.noteMissing(path, names)),
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
    });
    time.end(failure);
    this.#postpone(open.flatMap((change) => byChange.get(change) ?? []));
    this.#found(lost);
    const own = new Set(jobs.map(({ change }) => originId(change.origin)));
    for (const origin of lost) if (!own.has(originId(origin))) this.#options.missing(origin);
  }

  /**
   * Returns the changes for the next batch: usually all of them, but sometimes only those left over from earlier batches, so that they are
   * written as well.
   */
  #nextJobs(): readonly Job[] {
    const postponedTwice = this.#pending.filter(({ postponed }) => postponed > 0 && postponed % 2 === 0);
    const jobs = postponedTwice.length > 0 ? postponedTwice.sort((a, b) => b.postponed - a.postponed) : this.#pending;
    const selected = new Set(jobs);
    this.#pending = this.#pending.filter((job) => !selected.has(job));
    for (const job of jobs) job.wait ??= this.#options.pace.wait();
    return jobs;
  }

  /** Keeps the changes that did not fit into a batch. Newer changes are written first. */
  #postpone(jobs: readonly Job[]): void {
    for (const job of jobs) {
      job.postponed++;
      if (this.#closed) job.reject(this.#closed);
      else if (job.wait?.isOver()) job.reject(new CnfSlowError());
      else this.#pending.push(job);
    }
  }

  #written(job: Job, written: Written): void {
    if (this.#closed) job.reject(this.#closed);
    else if ("error" in written) job.reject(written.error);
    else {
      const { changed, drifted = false, shown } = written;
      const effect = drifted ? { changed, drifted } : { changed };
      if (drifted && !changed) this.#found([job.change.origin]);
      if (drifted && changed) this.#driftRevertedMs = this.#clock.now();
      if (drifted && !changed) job.resolve(effect);
      else if (this.#held.note(job.change, changed, shown)) job.resolve(effect);
      else this.#awaitRestart(job, effect);
    }
  }

  #awaitRestart(job: Job, effect: Effect): void {
    const { service } = job.change.kind;
    if (!service) return;
    if (this.#clock.monotonic() - this.#lastRestartMs > streamMs) this.#beginStream();
    this.#pendingRestartOf(service).jobs.push({ job, effect });
  }

  #pendingRestartOf(service: RuleService): PendingRestart {
    const { name } = service;
    const restart = this.#pendingRestarts.get(name) ?? {
      service,
      sinceMs: this.#clock.monotonic(),
      jobs: [],
      callers: [],
    };
    this.#pendingRestarts.set(name, restart);
    return restart;
  }

  #beginStream(): void {
    this.#settle.reset();
    this.#settleMs = this.#settle.next();
    this.#lastRestartMs = this.#clock.monotonic();
  }

  async #restart(): Promise<void> {
    const all = [...this.#pendingRestarts.values()];
    this.#pendingRestarts.clear();
    for (const { service, jobs, callers } of all) {
      const beganMs = this.#clock.monotonic();
      try {
        await this.#api.service(service.name)[service.action]();
        this.#held.restarted(
          service.name,
          jobs.map(({ job }) => job.change),
        );
        for (const { job, effect } of jobs) job.resolve(effect);
        for (const { resolve } of callers) resolve();
        this.#logger.debug(
          { service: service.name, action: service.action, changes: jobs.length },
          "service restarted",
        );
      } catch (error) {
        for (const { reject } of [...jobs.map(({ job }) => job), ...callers]) reject(error);
      }
      this.#options.pace.restarted(this.#clock.monotonic() - beganMs);
    }
    this.#lastRestartMs = this.#clock.monotonic();
    this.#settleMs = this.#settle.next();
  }
}

const originId = ({ kind, key }: Origin): string => `${kind} ${key}`;
