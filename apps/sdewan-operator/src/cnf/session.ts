import { Backoff, type Clock, systemClock, type Timer } from "@kubewright/clock";
import { type Logger, silentLogger } from "@kubewright/log";
import type { RuleService, ServiceName } from "../uci/cnf-kind.ts";
import type { UciObject } from "../uci/uci-object.ts";
import { type Change, nameOf, type Origin, type Written, writeChanges } from "./batch.ts";
import type { CnfApi } from "./cnf-api.ts";
import { HeldObjects } from "./held-objects.ts";

export interface SessionOptions {
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Writing begins when nothing has arrived for this long. Default 20. */
  readonly gatherMs?: number;
  /** Writing is not put off longer than this. Default 250. */
  readonly longestGatherMs?: number;
  /** A service restarts when nothing has arrived for this long; doubled while restarts follow each other. Default 250. */
  readonly settleMs?: number;
  /** A restart is not put off longer than this after the first change it is for. Default 4000. */
  readonly longestSettleMs?: number;
  /** How a batch is run: lets the owner bound how many run at once. */
  readonly limit?: <T>(batch: () => Promise<T>) => Promise<T>;
}

interface Job {
  readonly change: Change;
  readonly resolve: (result: { readonly changed: boolean }) => void;
  readonly reject: (error: unknown) => void;
}

interface Waiting {
  readonly service: RuleService;
  readonly sinceMs: number;
  readonly jobs: { readonly job: Job; readonly changed: boolean }[];
}

/** Restarts closer together than this belong to one stream of changes. */
const streamMs = 10_000;

/**
 * One life of one CNF pod: from a start of its container to the next. Changes that arrive together are written together, in
 * the order of their dependencies, with one read of a collection and one restart of a service for all of them.
 *
 * A change is done only when a restart that began after its write has succeeded. A restart that failed is owed until one
 * succeeds, so asking again for the same change, which the CNF then already holds, restarts the service again.
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
  readonly #waiting = new Map<ServiceName, Waiting>();
  readonly #held = new HeldObjects();
  #running: Promise<void> | undefined;
  #arrived: (() => void) | undefined;
  #closed: Error | undefined;

  constructor(api: CnfApi, options: SessionOptions = {}) {
    this.#api = api;
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? silentLogger;
    this.#options = {
      gatherMs: options.gatherMs ?? 20,
      longestGatherMs: options.longestGatherMs ?? 250,
      settleMs: options.settleMs ?? 250,
      longestSettleMs: options.longestSettleMs ?? 4_000,
      limit: options.limit ?? ((batch) => batch()),
    };
    const { settleMs, longestSettleMs } = this.#options;
    this.#settle = new Backoff({ baseMs: settleMs, maxMs: Math.max(settleMs, longestSettleMs / 2) });
    this.#settleMs = this.#settle.next();
  }

  /**
   * Asks for a change.
   *
   * @returns once it is in force; `changed` says whether the CNF had to be written to
   * @throws whatever the CNF answered, or why it could not be asked
   */
  submit(change: Change): Promise<{ readonly changed: boolean }> {
    if (this.#closed) return Promise.reject(this.#closed);
    return new Promise((resolve, reject) => {
      this.#pending.push({ change, resolve, reject });
      this.#arrived?.();
      this.#running ??= this.#run().finally(() => {
        this.#running = undefined;
      });
    });
  }

  /** Ends the session: what is not done yet is rejected with `reason`. */
  async close(reason: Error): Promise<void> {
    this.#closed = reason;
    for (const { reject } of this.#pending.splice(0)) reject(reason);
    for (const { jobs } of this.#waiting.values()) for (const { job } of jobs) job.reject(reason);
    this.#waiting.clear();
    this.#arrived?.();
    await this.#api.close();
    await this.#running;
  }

  /**
   * Looks whether the pod still has what it is known to hold, as it was left there. What is missing is forgotten.
   *
   * @returns which resources it is missing, or other than they want it; nothing while changes are under way
   */
  async missing(): Promise<readonly Origin[]> {
    if (this.#isBusy) return [];
    const missing: Origin[] = [];
    for (const path of this.#held.paths) {
      const collection = this.#api.collection(path);
      const stored = Map.groupBy(await collection.list(), nameOf);
      // What was written meanwhile is newer than the list.
      if (this.#isBusy) return missing;
      missing.push(...this.#held.forgetMissing(path, new Set(stored.keys())));
      const one = (name: string): Promise<UciObject | undefined> => collection.get(name).catch(() => undefined);
      missing.push(...(await this.#held.changedAt(path, stored, one)));
    }
    return missing;
  }

  get #isBusy(): boolean {
    return this.#running !== undefined || this.#closed !== undefined;
  }

  async #run(): Promise<void> {
    while (!this.#closed && (this.#pending.length > 0 || this.#waiting.size > 0)) {
      if (this.#pending.length > 0) {
        await this.#quiet();
        const jobs = this.#pending.splice(0);
        await this.#options.limit(() => this.#write(jobs));
      }
      if (this.#waiting.size === 0) continue;
      const dueMs =
        Math.min(...[...this.#waiting.values()].map(({ sinceMs }) => sinceMs)) + this.#options.longestSettleMs;
      const leftMs = dueMs - this.#clock.monotonic();
      if (this.#pending.length > 0 && leftMs > 0) continue;
      if (leftMs > 0 && (await this.#arrival(Math.min(this.#settleMs, leftMs)))) continue;
      await this.#options.limit(() => this.#restart());
    }
  }

  /** Resolves when changes have stopped arriving, or have arrived for long enough. */
  async #quiet(): Promise<void> {
    const endMs = this.#clock.monotonic() + this.#options.longestGatherMs;
    for (let leftMs = endMs; leftMs > 0; leftMs = endMs - this.#clock.monotonic())
      if (!(await this.#arrival(Math.min(this.#options.gatherMs, leftMs)))) return;
  }

  /** Whether another change arrived (or the session was closed) within `ms`. */
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
    const changes = jobs.map(({ change }) => change);
    const results = await writeChanges(this.#api, changes, this.#held);
    for (const [index, job] of jobs.entries()) this.#written(job, results[index]);
  }

  #written(job: Job, written: Written | undefined): void {
    if (this.#closed) job.reject(this.#closed);
    else if (!written || "error" in written) job.reject(written?.error);
    else if (this.#held.note(job.change, written.changed, written.shown)) job.resolve({ changed: written.changed });
    else this.#awaitRestart(job, written.changed);
  }

  #awaitRestart(job: Job, changed: boolean): void {
    const { service } = job.change.kind;
    if (!service) return;
    if (this.#clock.monotonic() - this.#lastRestartMs > streamMs) this.#beginStream();
    const waiting = this.#waiting.get(service.name) ?? { service, sinceMs: this.#clock.monotonic(), jobs: [] };
    waiting.jobs.push({ job, changed });
    this.#waiting.set(service.name, waiting);
  }

  #beginStream(): void {
    this.#settle.reset();
    this.#settleMs = this.#settle.next();
    this.#lastRestartMs = this.#clock.monotonic();
  }

  async #restart(): Promise<void> {
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { service, jobs } of all) {
      try {
        await this.#api.service(service.name)[service.action]();
        this.#held.restarted(
          service.name,
          jobs.map(({ job }) => job.change),
        );
        for (const { job, changed } of jobs) job.resolve({ changed });
        this.#logger.debug({ service: service.name, action: service.action, changes: jobs.length }, "service told");
      } catch (error) {
        for (const { job } of jobs) job.reject(error);
      }
    }
    this.#lastRestartMs = this.#clock.monotonic();
    this.#settleMs = this.#settle.next();
  }
}
