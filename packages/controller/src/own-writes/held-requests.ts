import type { Clock } from "@kubewright/clock";
import { deadline } from "../reconcile/deadline.ts";
import type { RequestQueue, Taken } from "../reconcile/request-queue.ts";
import type { OwnWrite } from "./own-writes.ts";

export interface HeldRequestsOptions<R> {
  readonly queue: RequestQueue<R>;
  readonly clock: Clock;
  /** Maximum wait after a write, in milliseconds. */
  readonly timeoutMs: number;
}

/** A request that is held back. */
export interface HeldRequest<R> {
  readonly item: R;
  /** In the clock's monotonic milliseconds. */
  readonly sinceMs: number;
  /** Writes that the cache does not show yet. */
  readonly unseen: readonly OwnWrite[];
}

/**
 * Requests that were taken from the queue and must wait before they are reconciled. They wait without a worker. For the queue they are in
 * progress, so that no other worker gets them, and further additions are merged.
 */
export class HeldRequests<R> {
  readonly #options: HeldRequestsOptions<R>;
  readonly #waits = new Set<Promise<void>>();
  readonly #held = new Map<R, HeldRequest<R>>();
  readonly #stop = new AbortController();

  constructor(options: HeldRequestsOptions<R>) {
    this.#options = options;
  }

  /**
   * Holds a request back until the cache shows these writes or the timeout has passed; then the queue returns it again.
   *
   * @returns true if it is held; false if the timeout has already passed
   */
  hold(taken: Taken<R>, unseen: readonly OwnWrite[]): boolean {
    const { clock, timeoutMs } = this.#options;
    const lastMs = unseen.reduce((last, { atMs }) => Math.max(last, atMs), Number.NEGATIVE_INFINITY);
    const leftMs = lastMs + timeoutMs - clock.monotonic();
    if (leftMs < 1) return false; // platform timers fire up to a millisecond early
    const { item } = taken;
    this.#options.queue.hold?.(item);
    this.#held.set(item, { item, sinceMs: clock.monotonic(), unseen });
    const wait = this.#wait(taken, unseen, leftMs).finally(() => this.#waits.delete(wait));
    this.#waits.add(wait);
    return true;
  }

  /** Requests that are currently held back. */
  get all(): ReadonlyMap<R, HeldRequest<R>> {
    return this.#held;
  }

  /** Releases all held requests. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#waits);
  }

  async #wait(taken: Taken<R>, unseen: readonly OwnWrite[], leftMs: number): Promise<void> {
    const { signal } = this.#stop;
    const limit = deadline(this.#options.clock, leftMs, signal, "own writes were not seen in time");
    for (const { shown, gone } of unseen)
      for (const expectation of [...shown, ...gone]) if (!limit.signal.aborted) await expectation.met(limit.signal);
    limit.cancel();
    this.#held.delete(taken.item);
    if (!signal.aborted) this.#putBack(taken);
    this.#options.queue.done(taken.item);
  }

  /** Keeps the causes, which would be lost otherwise. */
  #putBack({ item, priority }: Taken<R>): void {
    const { queue } = this.#options;
    const [first, ...others] = queue.causesOf(item);
    for (const cause of [first, ...others]) queue.add(item, { priority, cause });
  }
}
