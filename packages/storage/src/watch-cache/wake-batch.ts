import { type Clock, nextTurn, onNextTurn } from "@kubewright/clock";

/**
 * Wakes readers together at the end of a turn of the event loop. Each watcher therefore receives all writes of one turn as one chunk, and
 * its connection is written to only once instead of once per write.
 */
export class WakeBatch {
  #waiting: (() => void)[] = [];
  readonly #clock: Clock | undefined;

  /** @param clock clock that determines the turns of the event loop. Default: the system clock */
  constructor(clock?: Clock) {
    this.#clock = clock;
  }

  add(wake: () => void): void {
    if (this.#waiting.push(wake) === 1) onNextTurn(() => this.#wakeAll(), this.#clock);
  }

  #wakeAll(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}

/**
 * Waits until watchers have been woken and have written their events to their connections. Without this wait, two consecutive writes would
 * arrive as one chunk, and code that reads a cache would never see the first write. The wait takes two turns: watchers are woken in the
 * first, and a client in this process reads before the second.
 */
export async function watchersNotified(clock?: Clock): Promise<void> {
  await nextTurn(clock);
  await nextTurn(clock);
}
