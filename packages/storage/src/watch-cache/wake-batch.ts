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

/** The next turn of the event loop: sockets are read and written, watchers are woken. What does much at once lets it come now and then. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Until those who watch have been woken and have written what they were told of to their connections: two writes at once would reach them
 * as one piece, and a reader of a cache would never see the first. Two turns: in the first they are woken; between both a client in this
 * process reads.
 */
export async function untilHeard(): Promise<void> {
  await nextTurn();
  await nextTurn();
}
