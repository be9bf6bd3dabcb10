import type { Clock } from "@kubewright/clock";

/** How long one batch of changes may take before the rest of it is put off, and how long it may wait for its turn. */
const patienceMs = 30_000;
/** A CNF whose requests take longer than this is slow. */
const slowRequestMs = 5_000;
/** So many changes of a CNF may be waited for at a time on each of its pods, however slow it is. */
const fewest = 16;
/** And no more than so many, if its services take longer than this to restart. */
const longRestartMs = 10_000;
const mostOfLongRestarts = 64;

/** A CNF takes too long for what it was asked before, so this was not asked of it. */
export class CnfSlowError extends Error {
  override readonly name = "CnfSlowError";

  constructor() {
    super(`The CNF is slow: what was asked of it before takes more than ${patienceMs / 1_000} s`);
  }
}

/** A batch of requests to a CNF. */
export interface Timed {
  /** Whether it has taken too long for another request. */
  readonly isOver: () => boolean;
  /** It is done. @param failure why the CNF did not answer, if it did not */
  readonly end: (failure?: unknown) => void;
}

/**
 * How long a CNF takes for what it is asked, and so how many may wait for it. Who waits for one that is slow keeps others from their work,
 * and when it answers is not the operator's to choose.
 */
export class Pace {
  readonly patienceMs: number = patienceMs;
  readonly #clock: Clock;
  /** What a request took, as a mean of the last batch; it gets better by half at a time only. */
  #requestMs = 0;
  #restartMs = 0;
  #failure: unknown;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isSlow(): boolean {
    return this.#requestMs > slowRequestMs;
  }

  /** Why another change may not be waited for, while so many are; nothing if it may. */
  objection(waiting: number): unknown {
    const most = Math.max(fewest, Math.floor(patienceMs / this.#requestMs));
    const isTooMuch = waiting >= (this.#restartMs > longRestartMs ? Math.min(most, mostOfLongRestarts) : most);
    return isTooMuch ? (this.#failure ?? new CnfSlowError()) : undefined;
  }

  /** A batch begins. It has a request for each time that it asks whether it is over, and is not. */
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

  /** A service restarted, or did not. */
  restarted(tookMs: number): void {
    this.#restartMs = tookMs;
  }

  /** The same patience with what is not the CNF's to hasten. */
  wait(): Pick<Timed, "isOver"> {
    const beganMs = this.#clock.monotonic();
    return { isOver: () => this.#clock.monotonic() - beganMs > patienceMs };
  }
}
