import type { Clock } from "@kubewright/clock";

/** Maximum duration of a batch before its remaining changes are deferred, and maximum time that a batch waits for a slot. */
const maxWaitMs = 30_000;
/** Request duration above which a CNF counts as slow. */
const slowRequestMs = 5_000;
/** Number of changes that may always wait on each pod of a CNF, however slow it is. */
const minWaiting = 16;
/** Restart duration above which fewer changes may wait for a CNF. */
const longRestartMs = 10_000;
const maxWaitingForLongRestarts = 64;

/** Thrown if a change was not sent because the CNF is taking too long to process earlier changes. */
export class CnfSlowError extends Error {
  override readonly name = "CnfSlowError";

  constructor() {
    super(`The CNF is slow: earlier requests have been running for more than ${maxWaitMs / 1_000} s`);
  }
}

/** A batch of requests to a CNF. */
export interface Timed {
  /** Reports whether the batch has taken too long to send another request. */
  readonly isOver: () => boolean;
  /**
   * Called when the batch has ended.
   *
   * @param failure if the CNF did not respond, the reason why
   */
  readonly end: (failure?: unknown) => void;
}

/**
 * Measures how long a CNF takes to process requests, and limits the number of changes that may wait for the CNF. The
 * limit is necessary because each change waiting for a slow CNF occupies a worker that other CNFs need.
 */
export class Pace {
  readonly maxWaitMs: number = maxWaitMs;
  readonly #clock: Clock;
  /** Mean duration of a request in the last batch. It decreases by at most half from one batch to the next. */
  #requestMs = 0;
  #restartMs = 0;
  #failure: unknown;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isSlow(): boolean {
    return this.#requestMs > slowRequestMs;
  }

  /**
   * Returns the reason why no change may wait in addition to the `waiting` changes, or undefined if another change may
   * wait.
   */
  rejection(waiting: number): unknown {
    const limit = Math.max(minWaiting, Math.floor(maxWaitMs / this.#requestMs));
    const isTooMuch = waiting >= (this.#restartMs > longRestartMs ? Math.min(limit, maxWaitingForLongRestarts) : limit);
    return isTooMuch ? (this.#failure ?? new CnfSlowError()) : undefined;
  }

  /** Starts timing a batch. Each call to the returned `isOver` that returns false counts as one request. */
  batch(): Timed {
    const beganMs = this.#clock.monotonic();
    const wait = this.wait();
    let requests = 0;
    const isOver = (): boolean => {
      if (wait.isOver()) return true;
      requests++;
      return false;
    };
    const end = (failure?: unknown): void => {
      this.#failure = failure;
      const meanMs = (this.#clock.monotonic() - beganMs) / Math.max(1, requests);
      this.#requestMs = Math.max(meanMs, this.#requestMs / 2);
    };
    return { isOver, end };
  }

  /** Records how long a service restart took, whether or not it was successful. */
  restarted(tookMs: number): void {
    this.#restartMs = tookMs;
  }

  /** Returns a timer with the same limit as a batch, for delays that are not caused by the CNF. */
  wait(): Pick<Timed, "isOver"> {
    const beganMs = this.#clock.monotonic();
    return { isOver: () => this.#clock.monotonic() - beganMs > maxWaitMs };
  }
}
