import { isCutShort } from "@kubewright/apimachinery";
import { type Clock, untilAborted } from "@kubewright/clock";
import { type Elector, NotLeadingError } from "@kubewright/leader-election";
import { errorText, type Logger } from "@kubewright/log";
import { type GroupName, groupNames, type Runnable } from "./runnable.ts";
import { RunnableGroup, type StopStep, stopEngaged, stopInOrder } from "./runnable-group.ts";

/** Options for a {@link Lifecycle}. */
interface LifecycleOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Maximum time for runnables to end, in milliseconds. 0 means no wait, and Infinity no limit. */
  readonly gracefulShutdownTimeoutMs: number;
  /**
   * Returns how long webhooks, and the caches that they read, are served after the signal, in milliseconds. API servers and proxies notice
   * only after a delay that a pod is terminating.
   */
  readonly lingerMs: () => number;
  /** Checks the requirements before anything starts. @throws {Error} if a requirement is not met */
  readonly require: () => void;
  /** Closes resources after everything else has stopped. With `atOnce`, leadership was lost, so nothing must be awaited. */
  readonly close: (atOnce: boolean) => Promise<void>;
}

/** Starts groups of runnables in order, runs the leader's work while this process is the leader, and stops all groups in order. */
export class Lifecycle {
  readonly #options: LifecycleOptions;
  readonly #groups: Readonly<Record<GroupName, RunnableGroup>>;
  readonly #elected = Promise.withResolvers<void>();
  readonly #stopElection = new AbortController();
  readonly #stopping = new AbortController();
  readonly #failure = Promise.withResolvers<never>();
  /** The signal that was passed to `run`. */
  #signal: AbortSignal | undefined;
  #elector: Elector | undefined;
  #state: "new" | "running" | "stopping" = "new";
  readonly #reported = new Set<unknown>();
  /** Set if leadership was lost before the leader's work had ended. */
  #lost: NotLeadingError | undefined;

  constructor(options: LifecycleOptions) {
    this.#options = options;
    this.#failure.promise.catch(() => {}); // handled by `run`
    this.#groups = Object.fromEntries(
      groupNames.map((name) => [
        name,
        new RunnableGroup((...failed) => this.#onError(...failed), this.#stopping.signal),
      ]),
    ) as Record<GroupName, RunnableGroup>;
  }

  /** Resolves when this process becomes the leader, or immediately without leader election. */
  get elected(): Promise<void> {
    return this.#elected.promise;
  }

  /** True if the leader's work has ended. */
  get hasEndedLeading(): boolean {
    return this.#groups.leaderElection.running === 0;
  }

  /** Sets the elector. Without one, this process is the leader. */
  electBy(elector: Elector): void {
    this.#elector = elector;
    const { leadership } = elector;
    leadership.addEventListener("abort", () => this.#onLeadershipEnd(leadership.reason), { once: true });
  }

  /** Adds a runnable. If its group is running, the runnable is started immediately. @throws {Error} if the groups are stopping */
  add(runnable: Runnable): void {
    if (this.#state === "stopping" || this.#signal?.aborted) throw stopEngaged();
    const { warmup, group = "leaderElection" } = runnable;
    if (warmup)
      this.#groups.warmup.add({ group: "warmup", run: (signal, stopping) => warmup.call(runnable, signal, stopping) });
    this.#groups[group].add(runnable);
  }

  /** Runs all groups; see `Manager.run`. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#state !== "new") throw new Error("manager already started");
    this.#state = "running";
    this.#signal = signal;
    let election: Promise<void> | undefined;
    let failure: { readonly error: unknown } | undefined;
    try {
      this.#options.require();
      const stop = untilAborted(signal);
      const started = this.#start(stop, () => {
        election = this.#elect(this.#stopElection.signal);
      });
      await Promise.race([started.then(() => stop), stop, this.#failure.promise]);
    } catch (error) {
      failure = { error };
    }
    if (!this.#elector?.leads) this.#stopElection.abort(); // a process that is stopping is not a candidate
    await this.#stop(failure).finally(async () => {
      this.#stopElection.abort();
      await election?.catch(() => {}); // a lost election has already been reported
      await this.#options.close(this.#lost !== undefined);
    });
    if (this.#lost) throw this.#lost;
  }

  /** Starts one group after another. Work that needs leadership waits for it in the background. */
  async #start(stop: Promise<void>, elect: () => void): Promise<void> {
    let isStopped = false;
    void stop.then(() => {
      isStopped = true;
    });
    await Promise.resolve(); // detects a signal that has already aborted
    for (const name of ["http", "webhooks", "caches", "others", "warmup"] as const) {
      if (isStopped || this.#state !== "running") return;
      await Promise.race([this.#groups[name].start(), stop]);
    }
    if (!isStopped && this.#state === "running") elect();
  }

  async #elect(signal: AbortSignal): Promise<void> {
    const lead = (): void => {
      if (this.#state !== "running") return; // elected while everything is being stopped
      this.#elected.resolve();
      void this.#groups.leaderElection.start();
    };
    if (!this.#elector) return lead();
    this.#elector.events.once("elected", lead);
    await this.#elector.run(signal).catch((error) => {
      if (!this.#lost) this.#onError(error);
    });
  }

  /**
   * Called synchronously on abort, so that the leader's work does not continue until a later event loop turn. Also called when the election
   * ends normally.
   */
  #onLeadershipEnd(cause: unknown): void {
    const lost = new NotLeadingError(`leader election lost: ${errorText(cause)}`, { cause });
    this.#groups.leaderElection.abort(lost);
    const isOver = this.#state === "stopping" && this.hasEndedLeading;
    if (isOver || this.#stopElection.signal.aborted) return;
    this.#lost = lost;
    this.#onError(lost);
  }

  async #stop(failure: { readonly error: unknown } | undefined): Promise<void> {
    const { clock, logger, gracefulShutdownTimeoutMs } = this.#options;
    this.#state = "stopping";
    this.#stopping.abort(); // otherwise, a runnable that waits for a group that ends later would never end
    logger.info("stopping and waiting for runnables");
    const { others, leaderElection, caches, webhooks, http, warmup } = this.#groups;
    const graceMs = this.#lost ? 0 : gracefulShutdownTimeoutMs;
    warmup.abort();
    try {
      const linger = this.#linger(failure ? 0 : this.#options.lingerMs());
      await stopInOrder([others, leaderElection, warmup, linger, caches, webhooks, http], graceMs, clock);
    } catch (error) {
      if (!failure) throw error;
      throw new AggregateError([failure.error, error], `${errorText(failure.error)}; ${errorText(error)}`);
    }
    logger.info("all runnables ended");
    if (failure) throw failure.error;
  }

  /**
   * Returns the pause during which webhooks are still served. The leader's work ends before the pause, so the next leader need not wait.
   */
  #linger(lingerMs: number): StopStep {
    const { clock, logger } = this.#options;
    const endMs = clock.monotonic() + lingerMs;
    const over = new AbortController();
    return {
      stop: async () => {
        const leftMs = endMs - clock.monotonic();
        if (leftMs <= 0) return;
        this.#stopElection.abort();
        logger.info({ leftMs }, "serving webhooks until API servers stop calling this process");
        await clock.sleep(leftMs, over.signal).catch(() => {});
      },
      abort: () => over.abort(),
      lateNames: [],
    };
  }

  /** Handles a failure. @param signals signals of the failed runnable */
  #onError(err: unknown, ...signals: readonly AbortSignal[]): void {
    const { logger } = this.#options;
    // The runnable may use the signal of `run` itself and fail before the stop has begun.
    const all = [...signals, this.#stopping.signal, ...(this.#signal ? [this.#signal] : [])];
    if (all.some((signal) => isCutShort(err, signal))) return void logger.debug({ err }, "a runnable was interrupted");
    // A runnable that fails before it is ready reports its error twice.
    if (typeof err === "object" && this.#reported.has(err)) return;
    this.#reported.add(err);
    if (this.#state === "stopping") logger.error({ err }, "error received after stop sequence was engaged");
    else this.#failure.reject(err);
  }
}
