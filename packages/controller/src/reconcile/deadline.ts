import type { Clock } from "@kubewright/clock";

/** A signal that aborts with another signal or after a time, whichever comes first. Call `cancel` when it is no longer needed. */
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
