import { nextTurn } from "@kubewright/storage";

/** How long policies may be asked before others get their turn. */
const maxMs = 10;

/** Lets others in between policies: an object may have to go through thousands of them, or of their parameters. */
export class Pauses {
  readonly #signal: AbortSignal | undefined;
  #since = performance.now();

  /** @param signal aborts when nobody waits for the answer */
  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  /** @throws the signal's reason */
  async give(): Promise<void> {
    if (performance.now() - this.#since < maxMs) return;
    await nextTurn();
    this.#signal?.throwIfAborted();
    this.#since = performance.now();
  }
}
