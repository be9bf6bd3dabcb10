import { aroundWrites, type Reader, type ReadWriter, withReader } from "@kubewright/client";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { ControllerMetrics } from "../reconcile/controller-metrics.ts";
import type { RequestQueue, Taken } from "../reconcile/request-queue.ts";
import type { WriteExpectations } from "./expectations.ts";
import { HeldRequests } from "./held-requests.ts";
import { notingWrites } from "./noting-writes.ts";
import { type OwnWrite, OwnWrites } from "./own-writes.ts";
import { UnseenReader } from "./unseen-reader.ts";

export interface ReadYourOwnWritesOptions<R> {
  readonly client: ReadWriter;
  readonly expectations: WriteExpectations;
  readonly live: Reader;
  readonly queue: RequestQueue<R>;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly metrics: Pick<ControllerMetrics, "held" | "liveReads">;
}

/** Maximum number of objects in a log line. */
const mostNamed = 10;

/**
 * Delays reconciles until the cache shows what the previous reconcile of the same request wrote; writes that it does not show in time are
 * read live.
 */
export class ReadYourOwnWrites<R> {
  readonly #options: ReadYourOwnWritesOptions<R>;
  readonly #ownWrites: OwnWrites<R>;
  readonly #held: HeldRequests<R>;

  constructor(options: ReadYourOwnWritesOptions<R>) {
    this.#options = options;
    this.#ownWrites = new OwnWrites(options.expectations, options.clock);
    this.#held = new HeldRequests(options);
  }

  /**
   * Returns true if a request that was taken from the queue must wait. It is then returned by the queue again, and `done` must not be
   * called for it.
   */
  holds(taken: Taken<R>): boolean {
    const unseen = this.#ownWrites.unseen(taken.item);
    if (unseen.length === 0 || !this.#held.hold(taken, unseen)) return false;
    this.#options.metrics.held.inc();
    return true;
  }

  /** Requests that are currently held back. */
  get held(): HeldRequests<R>["all"] {
    return this.#held.all;
  }

  /** Returns the client for one reconcile: its writes are recorded, and writes that the cache does not show in time are read live. */
  clientFor(request: R, log: () => Logger): ReadWriter {
    const { client, live, metrics } = this.#options;
    const unseen = this.#ownWrites.unseen(request);
    if (unseen.length > 0) {
      metrics.liveReads.inc();
      const named = unseen.slice(0, mostNamed).map(textOf);
      log().warn({ unseen: unseen.length, objects: named }, "the cache does not show own writes in time; reading live");
    }
    const ownWrites = this.#ownWrites;
    const reader = new UnseenReader({ reader: client, live, ownWrites, request, unseen });
    return withReader(aroundWrites(client, notingWrites(ownWrites, request)), reader);
  }

  /** Releases all held requests. */
  stop(): Promise<void> {
    return this.#held.stop();
  }
}

const textOf = ({ kind, key }: OwnWrite): string => `${kind.kind} ${key}`;
