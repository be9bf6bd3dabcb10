/**
 * Wakes readers together at the end of the event loop's turn. All writes in one turn reach each watcher as one chunk, so each connection is
 * written to only once rather than once per write.
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

/**
 * Resolves in the next turn of the event loop, in which sockets are read and written and watchers are woken. Long-running work calls this
 * to yield.
 */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Resolves after watchers have been woken and have written their events to their connections. Otherwise, two consecutive writes would
 * arrive as one chunk, and a reader of a cache would never see the first. This takes two turns: watchers are woken in the first, and a
 * client in this process reads between the two.
 */
export async function watchersNotified(): Promise<void> {
  await nextTurn();
  await nextTurn();
}
