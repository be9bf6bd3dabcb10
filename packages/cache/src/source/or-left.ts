import { setImmediate as nextTurn } from "node:timers/promises";

/** Turns of the event loop in which a source that heeds its signal has ended. */
const turnsToEnd = 5;

/** Resolves when a source has had time to end after its signal aborted. */
export async function timeToEnd(): Promise<void> {
  for (let turn = 0; turn < turnsToEnd; turn++) await nextTurn();
}

/**
 * Settles as the work does. Resolves to `undefined` if the work continues although its signal has aborted, as in a custom source: the work
 * is then abandoned.
 */
export function orLeft<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const leave = (): void => void timeToEnd().then(() => resolve(undefined));
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });
}
