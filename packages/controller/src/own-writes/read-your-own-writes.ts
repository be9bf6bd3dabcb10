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

/** So many are named in a log line. */
const mostNamed = 10;

/**
 * Lets no reconcile begin before the cache shows what the one before it of the same request wrote; where it does not in time, what
 * is missing is read live.
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

  /** Whether a request that was taken from the queue has to wait. If so it comes out of the queue again, and is not to be `done`. */
  holds(taken: Taken<R>): boolean {
    const unseen = this.#ownWrites.unseen(taken.item);
    if (unseen.length === 0 || !this.#held.hold(taken, unseen)) return false;
    this.#options.metrics.held.inc();
    return true;
  }

  /** What is held right now, by request. */
  get held(): HeldRequests<R>["all"] {
    return this.#held.all;
  }

  /** The client for one reconcile: what it writes is noted, and what the cache does not show in time is read live. */
  clientFor(request: R, log: () => Logger): ReadWriter {
    const { client, live, metrics } = this.#options;
    const unseen = this.#ownWrites.unseen(request);
    if (unseen.length > 0) {
      metrics.liveReads.inc();
      const named = unseen.slice(0, mostNamed).map(textOf);
      log().warn({ unseen: unseen.length, objects: named }, "the cache does not show own writes in time, reading live");
    }
    const ownWrites = this.#ownWrites;
    const reader = new UnseenReader({ reader: client, live, ownWrites, request, unseen });
    return withReader(aroundWrites(client, notingWrites(ownWrites, request)), reader);
  }

  /** Lets go what is held. */
  stop(): Promise<void> {
    return this.#held.stop();
  }
}

const textOf = ({ kind, key }: OwnWrite): string => `${kind.kind} ${key}`;
