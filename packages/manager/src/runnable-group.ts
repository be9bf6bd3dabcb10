import type { Clock } from "@kubewright/clock";
import type { Runnable } from "./runnable.ts";

/**
 * Runnables that start and stop together. Runnables added after the start are started immediately. Runnables added after the stop are
 * rejected.
 *
 * @see controller-runtime pkg/manager runnableGroup
 */
export class RunnableGroup {
  readonly #onError: (error: unknown, signal: AbortSignal) => void;
  readonly #stopping: AbortSignal | undefined;
  readonly #stop = new AbortController();
  readonly #runs = new Map<Promise<void>, Runnable>();
  #waiting: Runnable[] = [];
  #hasStarted = false;

  /**
   * @param onError receives the error of each runnable that rejects, and the signal that was passed to that runnable
   * @param stopping signal that is passed on to the runnables; see {@link Runnable.run}
   */
  constructor(onError: (error: unknown, signal: AbortSignal) => void, stopping?: AbortSignal) {
    this.#onError = onError;
    this.#stopping = stopping;
  }

  /** Adds a runnable. @throws {Error} if the group was stopped */
  add(runnable: Runnable): void {
    if (this.#stop.signal.aborted) throw stopEngaged();
    if (this.#hasStarted) void this.#start(runnable);
    else this.#waiting.push(runnable);
  }

  /** Starts the group. Resolves when all runnables added so far are ready. Failures are passed to `onError`. */
  async start(): Promise<void> {
    if (this.#hasStarted || this.#stop.signal.aborted) return;
    this.#hasStarted = true;
    const runnables = this.#waiting;
    this.#waiting = [];
    await Promise.all(runnables.map((runnable) => this.#start(runnable)));
  }

  /** Number of runnables that have not ended. */
  get running(): number {
    return this.#runs.size;
  }

  /** Names of the runnables that should have ended but have not, for messages, such as `site (leaderElection)`. */
  get lateNames(): readonly string[] {
    return this.#stop.signal.aborted ? Array.from(this.#runs.values(), nameOf) : [];
  }

  /** Aborts all runnables and waits until they have ended. */
  async stop(): Promise<void> {
    this.abort();
    await Promise.allSettled(this.#runs.keys());
  }

  /** Aborts all runnables without waiting. Runnables that have not started are never started. */
  abort(reason?: unknown): void {
    this.#stop.abort(reason);
  }

  /** Starts a runnable. Resolves when it is ready or has ended. */
  async #start(runnable: Runnable): Promise<void> {
    const { signal } = this.#stop;
    if (signal.aborted) return; // a runnable that started earlier has aborted the group
    const run = invoke(() => runnable.run(signal, this.#stopping)).catch((error) => this.#onError(error, signal));
    this.#runs.set(run, runnable);
    void run.then(() => this.#runs.delete(run));
    if (!runnable.ready) return;
    const ready = runnable.ready(signal).catch((error) => {
      if (!signal.aborted) this.#onError(error, signal);
    });
    await Promise.race([ready, run]);
  }
}

/** Returns the error for a runnable that is added after the stop has begun. */
export const stopEngaged = (): Error => new Error("can't accept new runnable as stop procedure is already engaged");

function nameOf(runnable: Runnable): string {
  const { name, group = "leaderElection" } = runnable;
  const { name: className } = runnable.constructor;
  return `${name || (className === "Object" ? "without a name" : className)} (${group})`;
}

/** Calls a function and converts a synchronous throw to a rejection. */
async function invoke(call: () => Promise<void>): Promise<void> {
  return call();
}

/** One step of shutting down: stopping a group, or pausing between two groups. */
export type StopStep = Pick<RunnableGroup, "stop" | "abort" | "lateNames">;

/**
 * Stops groups one after the other. Groups that are still running after `timeoutMs` are abandoned, which is an error. 0 aborts all groups
 * without waiting. A negative number waits without limit.
 */
export async function stopInOrder(groups: readonly StopStep[], timeoutMs: number, clock: Clock): Promise<void> {
  if (timeoutMs === 0) {
    for (const group of groups) group.abort();
    return;
  }
  const stopped = (async () => {
    for (const group of groups) await group.stop();
  })();
  if (timeoutMs === Number.POSITIVE_INFINITY) return stopped;
  const late = Promise.withResolvers<never>();
  const timer = clock.after(timeoutMs, () =>
    late.reject(
      new Error(
        `failed waiting for all runnables to end within grace period of ${timeoutMs} ms: context deadline exceeded; still running: ${groups.flatMap((group) => group.lateNames).join(", ")}`,
        { cause: new DOMException("the grace period is over", "TimeoutError") },
      ),
    ),
  );
  try {
    await Promise.race([stopped, late.promise]);
  } finally {
    timer.cancel();
    for (const group of groups) group.abort();
  }
}
