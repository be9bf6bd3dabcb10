import type { Clock } from "@kubewright/clock";

/**
 * A signal that aborts when another signal aborts or after a given time, whichever comes first. Call `cancel` when the
 * signal is no longer needed.
 */
export interface Deadline {
  readonly signal: AbortSignal;
  /** True if the time passed before the other signal aborted. */
  readonly isOver: boolean;
  cancel(): void;
}

export function deadline(clock: Clock, ms: number, signal: AbortSignal, message: string): Deadline {
  const over = new AbortController();
  const timer = clock.after(ms, () => {
    if (!signal.aborted) over.abort(new DOMException(message, "TimeoutError"));
  });
  return {
    signal: AbortSignal.any([signal, over.signal]),
    get isOver() {
      return over.signal.aborted;
    },
    cancel: () => timer.cancel(),
  };
}

/** Reports whether a promise that never rejects settles before the time has passed or the signal aborts. */
export function endsWithin(clock: Clock, ms: number, work: Promise<unknown>, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (hasEnded: boolean): void => {
      timer.cancel();
      signal.removeEventListener("abort", onTimeout);
      resolve(hasEnded);
    };
    const onTimeout = (): void => end(false);
    const timer = clock.after(ms, onTimeout);
    if (signal.aborted) return onTimeout();
    signal.addEventListener("abort", onTimeout, { once: true });
    void work.then(() => end(true));
  });
}
