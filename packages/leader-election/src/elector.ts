import { isNotFound } from "@kubewright/apimachinery";
import { type Clock, systemClock } from "@kubewright/clock";
import { type Logger, silentLogger } from "@kubewright/log";
import { EventEmitter } from "eventemitter3";
import { NotLeadingError } from "./leadership-error.ts";
import { type Observed, observe } from "./observed.ts";
import type { LeaderElectionRecord, ResourceLock } from "./resource-lock.ts";
import { Tenure } from "./tenure.ts";
import { withTimeout } from "./with-timeout.ts";

/** Facts for onlookers. A throwing listener does no harm. */
export interface ElectorEvents {
  /** This process leads. */
  elected: [];
  /** This process led and no longer does. */
  deposed: [];
  /** Somebody leads, perhaps we; empty: nobody. */
  leaderChanged: [identity: string];
}

/** `leader_election_master_status` and `leader_election_slowpath_total`, by lock. */
export interface ElectorMetrics {
  leading(name: string, leads: boolean): void;
  slowPath(name: string): void;
}

export interface ElectorOptions {
  readonly lock: ResourceLock;
  /** Others wait so long after the last renewal before they take over. Default 15,000 ms. */
  readonly leaseDurationMs?: number;
  /** The leader gives up when it could not renew for so long. Default 10,000 ms. */
  readonly renewDeadlineMs?: number;
  /** Between two tries; candidates wait up to 2.2 times as long. Default 2,000 ms. */
  readonly retryPeriodMs?: number;
  /** Give the lease back at the end, so that the next leader need not wait. Default false. */
  readonly releaseOnCancel?: boolean;
  /** Default: the lock's description. */
  readonly name?: string;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly metrics?: ElectorMetrics;
  /** Numbers in [0, 1), for tests. Default `Math.random`. */
  readonly random?: () => number;
}

const jitterFactor = 1.2;

/**
 * Makes one of several processes the leader.
 *
 * Guarantees: at any moment at most one process finds {@link leads} true, provided that clocks run at about the same speed and
 * every process has its own identity. `leads` is decided by the time of the last renewal, not by a timer: a leader whose event
 * loop stalled past its lease is deposed the moment it looks. What must not be done twice asks {@link assertLeading} directly
 * before it is done.
 *
 * @see client-go tools/leaderelection LeaderElector
 */
export class Elector {
  readonly events: EventEmitter<ElectorEvents> = new EventEmitter();
  readonly #options: Required<Omit<ElectorOptions, "metrics">> & Pick<ElectorOptions, "metrics">;
  readonly #tenure: Tenure;
  readonly #deposed = new AbortController();
  #observed: Observed | undefined;
  #reportedLeader = "";
  #state: "candidate" | "leader" | "ended" = "candidate";

  /** @throws {Error} if the durations do not fit together or the lock has no identity */
  constructor(options: ElectorOptions) {
    const all = {
      leaseDurationMs: 15_000,
      renewDeadlineMs: 10_000,
      retryPeriodMs: 2_000,
      releaseOnCancel: false,
      name: options.lock.description,
      clock: systemClock,
      logger: silentLogger,
      random: Math.random,
      ...options,
    };
    if (!(all.leaseDurationMs > all.renewDeadlineMs))
      throw new Error(`leaseDurationMs must be greater than renewDeadlineMs`);
    if (!(all.renewDeadlineMs > all.retryPeriodMs * jitterFactor))
      throw new Error(`renewDeadlineMs must be greater than retryPeriodMs * ${jitterFactor}`);
    if (!(all.retryPeriodMs > 0)) throw new Error(`retryPeriodMs must be greater than zero`);
    if (all.lock.identity === "") throw new Error("lock identity is empty");
    this.#options = all;
    this.#tenure = new Tenure(all.clock);
  }

  /** Whether this process leads at this very moment. */
  get leads(): boolean {
    if (this.#state === "leader" && this.#tenure.isOver) this.#depose();
    return this.#state === "leader";
  }

  /** Who leads, as far as was seen; empty if nobody or not known. */
  get leader(): string {
    return this.#observed?.record.holderIdentity ?? "";
  }

  /** Aborts when the leadership of this process ends. */
  get leadership(): AbortSignal {
    return this.#deposed.signal;
  }

  /** @throws {NotLeadingError} unless this process leads at this very moment */
  assertLeading(): void {
    if (!this.leads) throw new NotLeadingError(`${this.#options.lock.identity} does not lead ${this.#options.name}`);
  }

  /**
   * Unhealthy, that is throws, if this process thinks it leads but has not renewed for longer than the lease and `toleranceMs`.
   *
   * @see client-go tools/leaderelection HealthzAdaptor
   */
  checkHealth(toleranceMs = 0): void {
    const { lock, leaseDurationMs, clock, name } = this.#options;
    if (!this.#observed || this.leader !== lock.identity) return;
    if (clock.monotonic() - this.#observed.at > leaseDurationMs + toleranceMs)
      throw new Error(`failed election to renew leadership on lease ${name}`);
  }

  /**
   * Competes for the lock, then keeps it. Resolves when the signal aborts.
   *
   * @throws {NotLeadingError} when leadership was lost; it does not compete again
   */
  async run(signal: AbortSignal): Promise<void> {
    const { lock, metrics, name, logger } = this.#options;
    metrics?.leading(name, false);
    try {
      if (!(await this.#acquire(signal))) return;
      lock.record("became leader");
      logger.info({ lease: lock.description, identity: lock.identity }, "successfully acquired lease");
      metrics?.leading(name, true);
      this.#emit("elected");
      await this.#renewUntilLost(signal);
      if (!signal.aborted) throw new NotLeadingError(`leader election lost: ${lock.identity} on ${lock.description}`);
    } finally {
      if (this.#state === "leader") {
        if (this.#options.releaseOnCancel) await this.#release();
        this.#depose();
      }
      this.#state = "ended";
    }
  }

  async #acquire(signal: AbortSignal): Promise<boolean> {
    const { lock, logger, retryPeriodMs, random, clock } = this.#options;
    logger.info({ lease: lock.description }, "attempting to acquire leader lease");
    while (!signal.aborted) {
      if (await this.#tryAcquireOrRenew(signal)) {
        this.#state = "leader";
        return true;
      }
      await clock.sleep(retryPeriodMs * (1 + random() * jitterFactor), signal);
    }
    return false;
  }

  async #renewUntilLost(signal: AbortSignal): Promise<void> {
    const { clock, renewDeadlineMs, retryPeriodMs, logger, lock } = this.#options;
    let renewedAt = clock.monotonic();
    while (!signal.aborted) {
      await clock.sleep(retryPeriodMs, signal);
      if (signal.aborted || !this.leads) return;
      const started = clock.monotonic();
      if (await this.#tryAcquireOrRenew(signal)) renewedAt = started;
      else if (clock.monotonic() - renewedAt >= renewDeadlineMs) {
        logger.error({ lease: lock.description }, "failed to renew lease");
        this.#depose();
        return;
      }
    }
  }

  async #tryAcquireOrRenew(signal: AbortSignal): Promise<boolean> {
    const { logger, lock, metrics, name } = this.#options;
    try {
      if (this.#state === "leader" && this.#observed && (await this.#renewDirectly(this.#observed, signal)))
        return true;
      if (this.#state === "leader") metrics?.slowPath(name);
      return await this.#limited(signal, (deadline) => this.#readThenWrite(deadline));
    } catch (err) {
      if (!signal.aborted) logger.error({ err, lease: lock.description }, "failed to acquire or renew lease");
      return false;
    }
  }

  /** While we hold the lease nobody else may have written it, so it need not be read first. */
  async #renewDirectly({ record }: Observed, signal: AbortSignal): Promise<boolean> {
    const { lock, logger } = this.#options;
    if (record.holderIdentity !== lock.identity || this.#tenure.isOver) return false;
    try {
      await this.#limited(signal, (deadline) => this.#write(record, "update", deadline));
      return true;
    } catch (err) {
      if (!signal.aborted) logger.warn({ err, lease: lock.description }, "failed to update lease optimistically");
      return false;
    }
  }

  async #readThenWrite(signal: AbortSignal): Promise<boolean> {
    const { lock, clock } = this.#options;
    let seen: LeaderElectionRecord;
    try {
      seen = await lock.get(signal);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await this.#write(undefined, "create", signal);
      return true;
    }
    this.#observed = observe(this.#observed, seen, clock.monotonic());
    this.#reportLeader();
    const isOurs = seen.holderIdentity === lock.identity;
    const isHeld = seen.holderIdentity !== "" && !this.#isExpired(this.#observed);
    if (!isOurs && isHeld) return false;
    await this.#write(seen, "update", signal);
    return true;
  }

  #isExpired({ at, record }: Observed): boolean {
    return this.#options.clock.monotonic() >= at + record.leaseDurationSeconds * 1_000;
  }

  async #write(
    before: LeaderElectionRecord | undefined,
    verb: "create" | "update",
    signal: AbortSignal,
  ): Promise<void> {
    const { lock, clock, leaseDurationMs } = this.#options;
    const from = this.#tenure.mark();
    const now = clock.now();
    const isOurs = before?.holderIdentity === lock.identity;
    const record: LeaderElectionRecord = {
      ...before,
      holderIdentity: lock.identity,
      leaseDurationSeconds: Math.ceil(leaseDurationMs / 1_000),
      acquireTimeMs: isOurs ? before.acquireTimeMs : now,
      renewTimeMs: now,
      leaderTransitions: before ? before.leaderTransitions + (isOurs ? 0 : 1) : 0,
    };
    await lock[verb](record, signal);
    this.#tenure.extend(from, leaseDurationMs);
    this.#observed = { record, at: clock.monotonic() };
    this.#reportLeader();
  }

  /** Gives the lease back, with time enough for it although everything else is being stopped. */
  async #release(): Promise<void> {
    const { lock, clock, logger } = this.#options;
    try {
      await this.#limited(new AbortController().signal, async (signal) => {
        const seen = await lock.get(signal);
        if (seen.holderIdentity !== lock.identity) return;
        const now = clock.now();
        const free = { ...seen, holderIdentity: "", leaseDurationSeconds: 1, renewTimeMs: now, acquireTimeMs: now };
        this.#depose();
        await lock.update(free, signal);
        this.#observed = { record: free, at: clock.monotonic() };
        this.#reportLeader();
      });
    } catch (err) {
      logger.error({ err, lease: lock.description }, "failed to release lock");
    }
  }

  /** No call may take so long that the renew deadline passes unnoticed. */
  #limited<T>(signal: AbortSignal, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { clock, renewDeadlineMs } = this.#options;
    return withTimeout(clock, renewDeadlineMs / 2, signal, call);
  }

  #depose(): void {
    if (this.#state !== "leader") return;
    const { lock, metrics, name } = this.#options;
    this.#state = "ended";
    this.#tenure.end();
    metrics?.leading(name, false);
    lock.record("stopped leading");
    this.#deposed.abort(new NotLeadingError(`${lock.identity} no longer leads ${name}`));
    this.#emit("deposed");
  }

  #reportLeader(): void {
    if (this.leader === this.#reportedLeader) return;
    this.#reportedLeader = this.leader;
    const identity = this.leader;
    queueMicrotask(() => this.#emit("leaderChanged", identity));
  }

  #emit<E extends keyof ElectorEvents>(event: E, ...args: ElectorEvents[E]): void {
    try {
      this.events.emit(event, ...(args as Parameters<EventEmitter.EventListener<ElectorEvents, E>>));
    } catch (err) {
      this.#options.logger.error({ err, event }, "a listener threw");
    }
  }
}
