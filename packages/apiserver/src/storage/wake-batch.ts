/**
 * Wakes readers together, at the end of the event loop's turn: writes that came in with one turn then reach each watcher as one
 * piece, and a connection is written to once instead of once for each write.
 */
export class WakeBatch {
  #waiting: (() => void)[] = [];

  add(wake: () => void): void {
    if (this.#waiting.push(wake) === 1) setImmediate(() => this.#wakeAll());
  }

  #wakeAll(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}
