import { ignoreNotFound, isConflict } from "@kubewright/apimachinery";
import { type Clock, systemClock, systemRandom, type Timer } from "@kubewright/clock";
import { safeLogger, silentLogger } from "@kubewright/log";
import type { EventEmitter } from "eventemitter3";
import { type ElectorEvents, ElectorObservers } from "./elector-observers.ts";
import { type ElectorOptions, electionTimes, jitterFactor } from "./elector-options.ts";
import { NotLeadingError } from "./leadership-error.ts";
import { isNamed, type LeaderElectionRecord, type Observed, observe, type ResourceLock } from "./resource-lock.ts";

/** Maximum number of conflicts in one renewal attempt after which the leader reads and writes the lease again. */
const maxConflicts = 3;
/** Maximum of `leaseTransitions`, an int32. If somebody sets it, a larger number would prevent that a process ever leads again. */
const maxTransitions = 2 ** 31 - 1;
const tooLate = "the lease could not be renewed in time";

/**
 * Elects one of several processes as leader.
 *
 * It guarantees that {@link leads} is true in at most one process, and that {@link leadership} aborts before another
 * process leads, regardless of how long calls to the lock take and whether they respect their signals. It assumes that
 * every process has its own identity, that no clock runs faster than another by a factor of `leaseDurationMs /
 * renewDeadlineMs` or more, and that nobody edits the lease manually.
 *
 * - A leader leads for `renewDeadlineMs` after it sent the last successful renewal. A timer ends this term. A process
 *   whose timers are late, because its event loop stalled, detects the end of the term when it reads `leads`.
 * - If only the wall clock indicates that the term is over, either the clock was set or the machine slept. `leads` is
 *   then false until the lease is renewed. The elector tries to renew it immediately, and only once, so a change of the
 *   clock costs one round trip. After a sleep, the leadership is lost if another process had time to take over. Nothing
 *   runs while a machine sleeps: `leadership` aborts soon after the machine wakes up.
 * - An attempt to renew the lease takes at most half of `renewDeadlineMs`, and never continues beyond the end of the
 *   term. This includes the update and, if the update fails, the read and write that follow it. Late responses are
 *   ignored.
 *
 * @see client-go tools/leaderelection LeaderElector
 */
export class Elector {
  readonly #observers: ElectorObservers;
  readonly #lock: ResourceLock;
  readonly #name: string;
  readonly #leaseDurationMs: number;
  readonly #renewDeadlineMs: number;
  readonly #retryPeriodMs: number;
  readonly #releaseOnCancel: boolean;
  readonly #isCoordinated: boolean;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #term: Term;
  readonly #deposed = new AbortController();
  #observed: Observed | undefined;
  #reportedLeader = "";
  #state: "new" | "candidate" | "leader" | "ended" = "new";
  #termEnd: Timer | undefined;
  #wake: () => void = () => {};

  /** @throws {Error} if the durations are inconsistent or the lock has no identity */
  constructor(options: ElectorOptions) {
    const { lock } = options;
    const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = electionTimes(options);
    if (!lock.identity) throw new Error("lock identity is empty");
    this.#lock = lock;
    this.#leaseDurationMs = leaseDurationMs;
    this.#renewDeadlineMs = renewDeadlineMs;
    this.#retryPeriodMs = retryPeriodMs;
    this.#releaseOnCancel = options.releaseOnCancel ?? false;
    this.#isCoordinated = options.coordinated ?? false;
    this.#observed = options.observed;
    this.#name = options.name ?? lock.description;
    this.#clock = options.clock ?? systemClock;
    this.#observers = new ElectorObservers(
      this.#name,
      lock,
      safeLogger(options.logger ?? silentLogger),
      options.metrics,
    );
    this.#random = options.random ?? systemRandom.number;
    this.#term = new Term(this.#clock, renewDeadlineMs);
  }

  /** Events for observers. Work that only the leader may do must check `leads` and `leadership` instead. */
  get events(): EventEmitter<ElectorEvents> {
    return this.#observers.events;
  }

  /** True if this process currently leads. */
  get leads(): boolean {
    if (!this.#stillLeads()) return false;
    if (!this.#term.isDoubted) return true;
    this.#wake(); // to renew immediately
    return false;
  }

  /** Identity of the current leader. Empty if there is no leader or it is unknown. */
  get leader(): string {
    return this.#observed?.record.holderIdentity ?? "";
  }

  /** Aborts when this process's leadership ends. */
  get leadership(): AbortSignal {
    return this.#deposed.signal;
  }

  /** Checks that this process currently leads. @throws {NotLeadingError} if it does not */
  assertLeading(): void {
    if (this.leads) return;
    const why = this.#state === "leader" ? ": the clock jumped, and the lease is being renewed" : "";
    throw new NotLeadingError(`${this.#lock.identity} does not lead ${this.#name}${why}`);
  }

  /**
   * Checks that this process, if it is the recorded leader, has renewed the lease within the lease duration plus `toleranceMs`
   * milliseconds.
   *
   * @throws {Error} if it has not
   * @see client-go tools/leaderelection HealthzAdaptor
   */
  checkHealth(toleranceMs = 0): void {
    if (!this.#observed || this.leader !== this.#lock.identity) return;
    if (this.#clock.monotonic() - this.#observed.at > this.#leaseDurationMs + toleranceMs)
      throw new Error(`failed election to renew leadership on lease ${this.#name}`);
  }

  /**
   * Competes for the lock, then renews it. Resolves after the signal has aborted. If configured, the lease is released first, which may
   * take half the renew deadline. Can be called only once: after losing leadership, create a new elector, or preferably start a new
   * process.
   *
   * @throws {NotLeadingError} if leadership is lost; the elector does not compete again
   */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#state !== "new") throw new Error(`the elector for ${this.#name} has run before; create a new one`);
    this.#state = "candidate";
    const stopping = AbortSignal.any([signal, this.leadership]);
    stopping.addEventListener("abort", () => this.#wake(), { once: true });
    this.#observers.leading(false);
    try {
      if (!(await this.#acquire(stopping))) return;
      this.#announce();
      await this.#renewUntilLost(stopping);
      if (signal.aborted) return;
      const { reason: cause } = this.leadership;
      throw new NotLeadingError(`leader election lost: ${this.#lock.identity} on ${this.#lock.description}`, { cause });
    } finally {
      const isOurs = this.#stillLeads();
      this.#depose("it was stopped", "info");
      this.#state = "ended";
      if (isOurs && this.#releaseOnCancel) await this.#release();
    }
  }

  async #acquire(stopping: AbortSignal): Promise<boolean> {
    this.#observers.log("info", "attempting to acquire leader lease");
    while (!stopping.aborted) {
      if ((await this.#attempt(stopping)) && !this.#term.isDoubted) {
        this.#state = "leader";
        return true;
      }
      if (!stopping.aborted) await this.#pause(this.#retryPeriodMs * (1 + this.#random() * jitterFactor));
    }
    return false;
  }

  #announce(): void {
    this.#observers.record("became leader");
    this.#observers.log("info", "successfully acquired lease");
    this.#observers.leading(true);
    this.#observers.emit("elected");
  }

  async #renewUntilLost(stopping: AbortSignal): Promise<void> {
    for (let isRenewed = true; this.#stillLeads() && !stopping.aborted; ) {
      const { isDoubted, undoubtedMs } = this.#term;
      if (isDoubted && !isRenewed) return this.#depose(tooLate);
      if (!isDoubted) await this.#pause(Math.min(this.#retryPeriodMs, undoubtedMs));
      if (this.#stillLeads() && !stopping.aborted) isRenewed = await this.#attempt(stopping);
    }
  }

  /** Tries to acquire or renew the lease, with one deadline for all calls. */
  async #attempt(stopping: AbortSignal): Promise<boolean> {
    const deadline = new Deadline(this.#clock, this.#attemptMs(), stopping);
    try {
      if (this.#state === "leader" && !this.#isCoordinated) {
        if (await this.#renewDirectly(deadline)) return true;
        if (!stopping.aborted) this.#observers.slowPath();
      }
      return await this.#readThenWrite(deadline, this.#state === "leader" ? maxConflicts : 0);
    } catch (err) {
      if (!stopping.aborted) this.#observers.log("error", "failed to acquire or renew lease", err);
      return false;
    } finally {
      deadline.close();
    }
  }

  #attemptMs(): number {
    const ms = this.#renewDeadlineMs / 2;
    if (this.#state !== "leader") return ms;
    const { isDoubted, undoubtedMs, remainingMs } = this.#term;
    return isDoubted ? Math.min(this.#retryPeriodMs, remainingMs) : Math.min(ms, undoubtedMs);
  }

  /** Renews the lease without reading it first. While this process holds the lease, no other process should have written it. */
  async #renewDirectly(deadline: Deadline): Promise<boolean> {
    if (!this.#observed || this.leader !== this.#lock.identity) return false;
    try {
      await this.#write(deadline, this.#observed.record, "update");
      return true;
    } catch (err) {
      if (!deadline.signal.aborted) this.#observers.log("warn", "failed to update lease optimistically", err);
      return false;
    }
  }

  /**
   * Reads the lease, then writes it.
   *
   * @param retries maximum number of conflicts after which the lease is read again, because the other writer may have changed a different
   *   part of it
   */
  async #readThenWrite(deadline: Deadline, retries: number): Promise<boolean> {
    const seen = await recordOf(this.#lock, deadline);
    this.#observed = observe(this.#observed, seen, this.#clock.monotonic());
    this.#reportLeader();
    if (this.#observed && this.#isHeldByAnother(this.#observed)) {
      this.#depose(`${this.leader} has the lease`);
      return false;
    }
    const { identity } = this.#lock;
    if (this.#isCoordinated && !isNamed(identity, this.#observed, this.#clock.monotonic())) return false;
    try {
      await this.#write(deadline, this.#observed?.record, seen ? "update" : "create");
      return true;
    } catch (error) {
      if (retries === 0 || !isConflict(error) || deadline.signal.aborted) throw error;
    }
    return this.#readThenWrite(deadline, retries - 1);
  }

  /**
   * Reports whether another process holds the lease. A leader does not check whether the other process's lease has expired, because its own
   * leadership is lost in any case.
   */
  #isHeldByAnother({ at, record }: Observed): boolean {
    if (record.holderIdentity === "" || record.holderIdentity === this.#lock.identity) return false;
    const seconds = record.leaseDurationSeconds;
    const leaseMs = seconds > 0 ? seconds * 1_000 : this.#leaseDurationMs; // a record without a valid duration has the default
    return this.#state === "leader" || this.#clock.monotonic() < at + leaseMs;
  }

  async #write(deadline: Deadline, before: LeaderElectionRecord | undefined, verb: "create" | "update"): Promise<void> {
    const from = this.#term.mark();
    const isOurs = before?.holderIdentity === this.#lock.identity;
    const record: LeaderElectionRecord = {
      ...before,
      holderIdentity: this.#lock.identity,
      leaseDurationSeconds: Math.ceil(this.#leaseDurationMs / 1_000),
      acquireTimeMs: isOurs ? before.acquireTimeMs : from.wall,
      renewTimeMs: from.wall,
      leaderTransitions: before ? Math.min(before.leaderTransitions + (isOurs ? 0 : 1), maxTransitions) : 0,
    };
    await deadline.within((signal) => this.#lock[verb](record, signal));
    this.#term.renew(from);
    this.#termEnd?.cancel();
    this.#termEnd = this.#clock.after(this.#term.remainingMs, () => this.#depose(tooLate));
    this.#observed = { record, at: this.#clock.monotonic(), isGone: false };
    this.#reportLeader();
  }

  /** Releases the lease, with its own time limit, even though everything else is being stopped. */
  async #release(): Promise<void> {
    const deadline = new Deadline(this.#clock, this.#renewDeadlineMs / 2);
    try {
      const free = await releaseLease(this.#lock, this.#clock, deadline);
      if (!free) return;
      this.#observed = { record: free, at: this.#clock.monotonic(), isGone: false };
      this.#reportLeader();
    } catch (err) {
      this.#observers.log("error", "failed to release lock", err);
    } finally {
      deadline.close();
    }
  }

  /** Reports whether this process leads according to monotonic time. */
  #stillLeads(): boolean {
    if (this.#state === "leader" && this.#term.isOver) this.#depose(tooLate);
    return this.#state === "leader";
  }

  #depose(why: string, level: "info" | "error" = "error"): void {
    this.#termEnd?.cancel();
    if (this.#state !== "leader") return;
    this.#state = "ended";
    this.#term.end();
    this.#deposed.abort(new NotLeadingError(`${this.#lock.identity} no longer leads ${this.#name}: ${why}`));
    this.#observers.log(level, `no longer leads: ${why}`);
    this.#observers.leading(false);
    this.#observers.record("stopped leading");
    this.#observers.emit("deposed");
  }

  /** Waits until the time has passed or `#wake` is called. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#clock.after(ms, resolve);
      this.#wake = () => {
        timer.cancel();
        resolve();
      };
    });
  }

  #reportLeader(): void {
    if (this.leader === this.#reportedLeader) return;
    this.#reportedLeader = this.leader;
    const identity = this.leader;
    queueMicrotask(() => this.#observers.emit("leaderChanged", identity));
  }
}

/** Time between two attempts to release the lease if other clients also write it. */
const pauseMs = 100;

/**
 * Releases the lease, so that the next leader need not wait for it to expire. Another client may write the lease in the meantime, for
 * example to add a label, or a late renewal by this process may arrive. The release is then retried until the deadline.
 *
 * @returns the written record, or `undefined` if the lease now belongs to another process or was deleted
 */
async function releaseLease(
  lock: ResourceLock,
  clock: Clock,
  deadline: Deadline,
): Promise<LeaderElectionRecord | undefined> {
  for (let conflicts = 0; ; conflicts++) {
    if (conflicts > 1) await clock.sleep(pauseMs, deadline.signal);
    const seen = await recordOf(lock, deadline);
    if (seen?.holderIdentity !== lock.identity) return undefined;
    const now = clock.now();
    const free = { ...seen, holderIdentity: "", leaseDurationSeconds: 1, renewTimeMs: now, acquireTimeMs: now };
    try {
      await deadline.within((signal) => lock.update(free, signal));
      return free;
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
}

/** Returns the lock's record, or `undefined` if there is none. */
const recordOf = (lock: ResourceLock, deadline: Deadline): Promise<LeaderElectionRecord | undefined> =>
  deadline.within((signal) => lock.get(signal)).catch(ignoreNotFound);

/** A moment on both clocks of this machine. */
interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

/**
 * The period for which a leader may lead without renewing its lease. It begins just before the last renewal was sent.
 * Other processes wait longer, for the lease duration, and begin to count later, when they observe that renewal. The
 * difference is the margin for requests in progress and for clocks that run at different speeds.
 *
 * Only monotonic time is authoritative. If only the wall clock indicates that the term is over, either the wall clock
 * was set, or the machine slept, which may stop monotonic time. A program cannot distinguish the two cases, but the
 * next attempt to renew the lease can.
 */
export class Term {
  readonly #clock: Clock;
  readonly #ms: number;
  #from: Moment | undefined;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** Returns a moment from which a term can be counted. Must be called before the renewal is sent. */
  mark(): Moment {
    return { monotonic: this.#clock.monotonic(), wall: this.#clock.now() };
  }

  renew(from: Moment): void {
    this.#from = from;
  }

  end(): void {
    this.#from = undefined;
  }

  /** Remaining milliseconds. Zero or less if the term is over. */
  get remainingMs(): number {
    return this.#from ? this.#from.monotonic + this.#ms - this.#clock.monotonic() : 0;
  }

  /** Milliseconds until one of the clocks indicates the end of the term. Zero or less if a clock already does. */
  get undoubtedMs(): number {
    const byWall = this.#from ? this.#from.wall + this.#ms - this.#clock.now() : 0;
    return Math.min(this.remainingMs, byWall);
  }

  get isOver(): boolean {
    return this.remainingMs <= 0;
  }

  get isDoubted(): boolean {
    return this.undoubtedMs <= 0;
  }
}

/**
 * A time limit shared by several calls. No call is awaited past the limit, and later responses are ignored: code after
 * `await deadline.within(…)` runs before the limit or not at all. The clock is also checked, because timers fire late
 * in a stalled process.
 */
export class Deadline {
  readonly #clock: Clock;
  readonly #until: number;
  readonly #over = new AbortController();
  readonly #rejection = Promise.withResolvers<never>();
  readonly #release: () => void;

  /** @param stop signal that ends all calls early */
  constructor(clock: Clock, ms: number, stop?: AbortSignal) {
    this.#clock = clock;
    this.#until = clock.monotonic() + ms;
    this.#rejection.promise.catch(() => {}); // handled by `within`
    const timer = clock.after(ms, () => this.#end(new Error(`not completed within ${Math.round(ms)} ms`)));
    const onStop = (): void => this.#end(stop?.reason);
    stop?.addEventListener("abort", onStop);
    this.#release = () => {
      timer.cancel();
      stop?.removeEventListener("abort", onStop);
    };
    if (stop?.aborted) onStop();
  }

  /** Aborts when the deadline has passed or `stop` has aborted. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Performs a call within the time limit. @throws the call's error, or the reason why the call was abandoned */
  async within<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.signal.throwIfAborted();
    const answer = await Promise.race([call(this.signal), this.#rejection.promise]);
    if (this.#clock.monotonic() >= this.#until) this.#end(new Error("the response came too late"));
    this.signal.throwIfAborted();
    return answer;
  }

  /** Cancels the timer and removes the listener. */
  close(): void {
    this.#release();
  }

  #end(reason: unknown): void {
    this.#release();
    this.#over.abort(reason);
    this.#rejection.reject(reason);
  }
}
