import type { Clock, Timer } from "@kubewright/clock";
import type { Change } from "./change.ts";
import { CnfSlowError, type Pace, type Timed } from "./pace.ts";
import type { callerSpan } from "./traced-batch.ts";

/** Result of a change on one pod. */
export interface Effect {
  /** True if the operator had to write to the CNF. */
  readonly changed: boolean;
  /** True if the object on the CNF differed from what the operator last wrote. */
  readonly drifted?: boolean;
  /** True if the drift affects only the position of the object among others. */
  readonly displaced?: boolean;
}

/** A requested change, and the caller waiting for it. */
export interface Job {
  readonly change: Change;
  readonly callerSpan: ReturnType<typeof callerSpan>;
  readonly resolve: (result: Effect) => void;
  readonly reject: (error: unknown) => void;
  /** Number of batches that reached their time limit before they wrote this change. */
  postponed: number;
  /** Timer that starts with the first batch that contains the change; undefined before that. */
  wait: Pick<Timed, "isOver"> | undefined;
}

export interface GatheringOptions {
  readonly clock: Clock;
  readonly pace: Pace;
  /** Time without a new change after which writing begins. */
  readonly gatherMs: number;
  /** Maximum delay before writing begins. */
  readonly maxGatherMs: number;
}

/** Collects changes that arrive together, and divides them into batches. */
export class Gathering {
  readonly #options: GatheringOptions;
  #pending: Job[] = [];
  #arrived: (() => void) | undefined;
  #closed: Error | undefined;

  constructor(options: GatheringOptions) {
    this.#options = options;
  }

  /** Number of changes that are waiting for a batch. */
  get size(): number {
    return this.#pending.length;
  }

  add(job: Pick<Job, "change" | "callerSpan" | "resolve" | "reject">): void {
    this.#pending.push({ ...job, postponed: 0, wait: undefined });
    this.#arrived?.();
  }

  /** Resolves when no more changes arrive, or when the maximum delay has passed. */
  async quiet(): Promise<void> {
    const { clock, gatherMs, maxGatherMs } = this.#options;
    const endMs = clock.monotonic() + maxGatherMs;
    for (let leftMs = endMs; leftMs > 0; leftMs = endMs - clock.monotonic())
      if (!(await this.arrival(Math.min(gatherMs, leftMs)))) return;
  }

  /** Reports whether another change arrived or the session was closed within `ms` milliseconds. */
  arrival(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      let timer: Timer | undefined;
      const finish = (arrived: boolean): void => {
        timer?.cancel();
        this.#arrived = undefined;
        resolve(arrived);
      };
      if (this.#closed) return finish(false);
      timer = this.#options.clock.after(ms, () => finish(false));
      this.#arrived = () => finish(true);
    });
  }

  /**
   * Returns the changes for the next batch: usually all changes, but sometimes only changes left over from earlier batches, so that newer
   * changes cannot delay these forever.
   */
  next(): readonly Job[] {
    const postponedTwice = this.#pending.filter(({ postponed }) => postponed > 0 && postponed % 2 === 0);
    const jobs = postponedTwice.length > 0 ? postponedTwice.sort((a, b) => b.postponed - a.postponed) : this.#pending;
    const selected = new Set(jobs);
    this.#pending = this.#pending.filter((job) => !selected.has(job));
    for (const job of jobs) job.wait ??= this.#options.pace.wait();
    return jobs;
  }

  /** Keeps the changes that did not fit into a batch. Newer changes are written first. */
  postpone(jobs: readonly Job[]): void {
    for (const job of jobs) {
      job.postponed++;
      if (this.#closed) job.reject(this.#closed);
      else if (job.wait?.isOver()) job.reject(new CnfSlowError());
      else this.#pending.push(job);
    }
  }

  reject(reason: Error): void {
    for (const { reject } of this.#pending.splice(0)) reject(reason);
  }

  /** Rejects all gathered changes, and changes that are postponed later. */
  close(reason: Error): void {
    this.#closed = reason;
    this.reject(reason);
    this.#arrived?.();
  }
}
