import { type Clock, EventLoopShare, systemClock } from "@kubewright/clock";

/** Yields to other work between policies: an object may go through thousands of them, or of their parameters. */
export class Pauses {
  readonly #signal: AbortSignal | undefined;
  readonly #share: EventLoopShare;

  /** @param signal aborts when nobody waits for the answer */
  constructor(signal: AbortSignal | undefined, clock: Clock = systemClock) {
    this.#signal = signal;
    this.#share = new EventLoopShare(clock);
  }

  /** @throws the signal's reason */
  async give(): Promise<void> {
    if (!this.#share.isUsedUp()) return;
    await this.#share.nextTurn();
    this.#signal?.throwIfAborted();
  }
}
