import { Backoff, type Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { RuleService, ServiceName } from "../../uci/cnf-kind.ts";
import type { CnfApi } from "../cnf-api.ts";
import type { Effect, Job } from "./gathering.ts";
import type { HeldObjects } from "./held-objects.ts";
import type { Pace } from "./pace.ts";

interface PendingRestart {
  readonly service: RuleService;
  readonly sinceMs: number;
  readonly jobs: { readonly job: Job; readonly effect: Effect }[];
  /** Callers that requested the restart itself. */
  readonly callers: { readonly resolve: () => void; readonly reject: (error: unknown) => void }[];
}

/** A service that must be restarted. */
export interface DueRestart {
  readonly service: ServiceName;
  /** Number of changes that need the restart. */
  readonly changes: number;
  /** Time at which the restart became due, in milliseconds since 1970. Undefined if it is not due. */
  readonly sinceMs: number | undefined;
}

export interface RestartsOptions {
  readonly api: CnfApi;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly held: HeldObjects;
  readonly pace: Pace;
  /** Time without a new change after which a service restarts. Doubled while restarts are consecutive. */
  readonly settleMs: number;
  /** Maximum delay of a restart after the first change that needs it. */
  readonly maxSettleMs: number;
}

/** Maximum interval between two restarts that count as consecutive. */
const streamMs = 10_000;

/** Collects changes that require a service restart, and restarts each service once for all of them. */
export class Restarts {
  readonly #options: RestartsOptions;
  readonly #pending = new Map<ServiceName, PendingRestart>();
  readonly #settle: Backoff;
  #settleMs: number;
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(options: RestartsOptions) {
    this.#options = options;
    const { settleMs, maxSettleMs } = options;
    this.#settle = new Backoff({ baseMs: settleMs, maxMs: Math.max(settleMs, maxSettleMs / 2) });
    this.#settleMs = this.#settle.next();
  }

  /** Number of services that must be restarted. */
  get size(): number {
    return this.#pending.size;
  }

  /** Time without a new change after which a service restarts. */
  get settleMs(): number {
    return this.#settleMs;
  }

  /** Changes waiting for a restart. */
  get jobs(): readonly Job[] {
    return [...this.#pending.values()].flatMap(({ jobs }) => jobs.map(({ job }) => job));
  }

  /** Returns the time until the first restart is due; negative if it is overdue. Undefined if no service must restart. */
  leftMs(except: ReadonlySet<ServiceName> = new Set()): number | undefined {
    const { clock, maxSettleMs } = this.#options;
    const times = [...this.#pending.values()].flatMap(({ service, sinceMs }) =>
      except.has(service.name) ? [] : [sinceMs],
    );
    return times.length === 0 ? undefined : Math.min(...times) + maxSettleMs - clock.monotonic();
  }

  /** Due restarts, and services with writes that need a restart although none is due. */
  get state(): readonly DueRestart[] {
    const { clock, held } = this.#options;
    const offsetMs = clock.now() - clock.monotonic();
    const due = [...this.#pending.values()].map(({ service, sinceMs, jobs }) => ({
      service: service.name,
      changes: jobs.length,
      sinceMs: sinceMs + offsetMs,
    }));
    const withoutJobs = [...held.uncovered]
      .filter(([name]) => !this.#pending.has(name))
      .map(([service, changes]) => ({ service, changes, sinceMs: undefined }));
    return [...due, ...withoutJobs];
  }

  /** Adds a change that waits until its service has restarted. */
  add(job: Job, effect: Effect): void {
    const { kind, desired } = job.change;
    const service = this.#options.held.serviceOf(kind, desired === undefined);
    if (!service) return;
    if (this.#options.clock.monotonic() - this.#lastMs > streamMs) this.#beginStream();
    this.#of(service).jobs.push({ job, effect });
  }

  /** Requests the restart of a service for which no change is waiting. */
  require(service: RuleService): void {
    this.#of(service);
  }

  /** Resolves after a restart that began after the call. */
  request(service: RuleService): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#of(service).callers.push({ resolve, reject });
    });
  }

  /** Restarts all services with a pending restart, except the given services. */
  async run(except: ReadonlySet<ServiceName> = new Set()): Promise<void> {
    const { api, clock, logger, held, pace } = this.#options;
    const all = [...this.#pending.values()].filter(({ service }) => !except.has(service.name));
    for (const { service } of all) this.#pending.delete(service.name);
    for (const { service, jobs, callers } of all) {
      const beganMs = clock.monotonic();
      try {
        await api.service(service.name)[service.action]();
        held.restarted(
          service.name,
          jobs.map(({ job }) => job.change),
        );
        for (const { job, effect } of jobs) job.resolve(effect);
        for (const { resolve } of callers) resolve();
        logger.debug({ service: service.name, action: service.action, changes: jobs.length }, "service restarted");
      } catch (error) {
        for (const { reject } of [...jobs.map(({ job }) => job), ...callers]) reject(error);
      }
      pace.restarted(clock.monotonic() - beganMs);
    }
    this.#lastMs = clock.monotonic();
    this.#settleMs = this.#settle.next();
  }

  /** Rejects the changes that are waiting for a restart. The services are restarted anyway. */
  rejectJobs(reason: Error): void {
    for (const { jobs } of this.#pending.values()) for (const { job } of jobs.splice(0)) job.reject(reason);
  }

  /** Rejects everything that is waiting for a restart, and cancels the restarts. */
  close(reason: Error): void {
    this.rejectJobs(reason);
    for (const { callers } of this.#pending.values()) for (const { reject } of callers) reject(reason);
    this.#pending.clear();
  }

  #of(service: RuleService): PendingRestart {
    const { name } = service;
    const sinceMs = this.#options.clock.monotonic();
    const restart = this.#pending.get(name) ?? { service, sinceMs, jobs: [], callers: [] };
    this.#pending.set(name, restart);
    return restart;
  }

  #beginStream(): void {
    this.#settle.reset();
    this.#settleMs = this.#settle.next();
    this.#lastMs = this.#options.clock.monotonic();
  }
}
