import { type Clock, nextTurn, onNextTurn } from "@kubewright/clock";

/**
 * Wakes readers together at the end of a turn of the event loop. Thus, each watcher receives all writes made in one
 * turn as one chunk, and writes to its connection once per turn, not once per write.
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
 * Waits until watchers have been woken and have written their events to their connections. Without waiting, two
 * consecutive writes would arrive as one chunk, and code that reads a cache would never see the first one. This takes
 * two turns: watchers are woken in the first turn, and a client in this process reads before the second.
 */
export async function watchersNotified(clock?: Clock): Promise<void> {
  await nextTurn(clock);
  await nextTurn(clock);
}
