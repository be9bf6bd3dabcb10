import { type Clock, EventLoopShare, systemClock } from "@kubewright/clock";

/**
 * Lets other work run between evaluations, because thousands of policies or parameter objects may apply to a single
 * request.
 */
export class Pauses {
  readonly #signal: AbortSignal | undefined;
  readonly #share: EventLoopShare;

  /** Creates pauses for one request. @param signal aborts when the client no longer waits for the response */
  constructor(signal: AbortSignal | undefined, clock: Clock = systemClock) {
    this.#signal = signal;
    this.#share = new EventLoopShare(clock);
  }

  /** Waits for the next turn of the event loop if this turn's time is used up. @throws the signal's reason if the signal has aborted */
  async give(): Promise<void> {
    if (!this.#share.isUsedUp()) return;
    await this.#share.nextTurn();
    this.#signal?.throwIfAborted();
  }
}
