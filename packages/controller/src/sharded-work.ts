import type { ReadWriter } from "@kubewright/client";
import type { Request } from "./request.ts";
import type { RequestQueue } from "./request-queue.ts";
import type { Source, SourceRunner } from "./source.ts";

/** The period during which this replica holds a shard. Implemented by `ShardTerm` in `@kubewright/leader-election`. */
export interface HeldTerm {
  readonly shard: number;
  /** Aborts when the shard's Lease is lost. */
  readonly signal: AbortSignal;
  /** Client whose writes fail once the shard's Lease may belong to another replica. */
  readonly client: ReadWriter;
  /** Must be called when work on the shard begins. The shard is handed over only after all work has ended. */
  begin(): void;
  /** Must be called when the work has ended. */
  end(): void;
}

/** The shards that this replica holds. Provided by a manager. */
export interface Sharding {
  /** Returns the term of a request's shard, or `undefined` if this replica must not begin work on the request. */
  termOf(request: Request): HeldTerm | undefined;
  /**
   * Adds a controller.
   *
   * @param worker `acquired` is called for each shard that this replica acquires or holds already
   * @returns functions to call when the controller can work and when it has ended
   */
  join(worker: { acquired(shard: number): void }): { ready(): void; leave(): void };
}

interface ShardedWorkParts<R> {
  readonly queue: RequestQueue<R>;
  readonly sources: SourceRunner<R>;
  /** Returns all sources of the controller. */
  readonly allSources: () => readonly Source<R>[];
}

/**
 * Limits a controller to the shards that its replica holds.
 *
 * - Requests that belong to other shards are not queued. When a shard is given up, its queued requests are dropped as
 *   soon as a worker takes them.
 * - When a shard is acquired, all sources deliver their existing objects again, but only requests that belong to this
 *   shard are queued. A new leader does the same for all requests, so no change made in the meantime is missed.
 */
export class ShardedWork<R> {
  readonly #sharding: Sharding;
  readonly #parts: ShardedWorkParts<R>;
  #membership: ReturnType<Sharding["join"]> | undefined;
  readonly #acquired = new Set<number>();
  readonly #signals = new WeakMap<AbortSignal, AbortSignal>();
  #isDelivering = false;

  constructor(sharding: Sharding, parts: ShardedWorkParts<R>) {
    this.#sharding = sharding;
    this.#parts = parts;
  }

  /** Takes part. No shards are acquired until {@link ready} is called. */
  join(): void {
    this.#membership = this.#sharding.join({ acquired: (shard) => void this.#deliver(shard) });
  }

  /** Reports that the sources have synced, so that shards may be acquired. */
  ready(): void {
    this.#membership?.ready();
  }

  /** Reports that no reconcile will begin. */
  leave(): void {
    this.#membership?.leave();
  }

  /** Returns the term of a request's shard, or `undefined` if this replica must not begin work on the request. */
  termOf(request: R): HeldTerm | undefined {
    if (typeof request !== "string")
      throw new TypeError("requests of a sharded controller must be keys, but one is not a string");
    return this.#sharding.termOf(request);
  }

  /**
   * Returns a signal that aborts with either signal. It is created once per term, to save this cost for each reconcile.
   */
  signalOf(term: HeldTerm, signal: AbortSignal): AbortSignal {
    const known = this.#signals.get(term.signal);
    if (known) return known;
    const any = AbortSignal.any([term.signal, signal]);
    this.#signals.set(term.signal, any);
    return any;
  }

  /** Delivers the existing objects for acquired shards. Shards that are acquired meanwhile follow together. */
  async #deliver(shard: number): Promise<void> {
    this.#acquired.add(shard);
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    await undefined; // usually, several shards are acquired at the same time
    const { queue, sources, allSources } = this.#parts;
    while (this.#acquired.size > 0) {
      const shards = new Set(this.#acquired);
      this.#acquired.clear();
      const add: typeof queue.add = (request, options) => {
        if (shards.has(this.termOf(request)?.shard ?? -1)) queue.add(request, options);
      };
      await sources.deliverAgain(allSources(), { add });
    }
    this.#isDelivering = false;
  }
}
