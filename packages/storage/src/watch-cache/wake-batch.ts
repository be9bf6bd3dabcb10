import { systemClock } from "@kubewright/clock";

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

/** Enough for a client on this machine to read an event. */
const headStartMs = 2;

/**
 * Until those who watch have been woken, and have had time to look at what they were told of: two writes at once reach them as one piece,
 * and a reader of a cache never sees the first. Not a matter of any test's clock.
 */
export async function untilHeard(): Promise<void> {
  await nextTurn();
  await systemClock.sleep(headStartMs);
}
