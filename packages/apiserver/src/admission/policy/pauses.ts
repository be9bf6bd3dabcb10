import { type Clock, EventLoopShare, systemClock } from "@kubewright/clock";

/** Yields to other work between evaluations, because thousands of policies or parameters may apply to one object. */
export class Pauses {
  readonly #signal: AbortSignal | undefined;
  readonly #share: EventLoopShare;

  /** @param signal aborts when no client is waiting for the response */
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
