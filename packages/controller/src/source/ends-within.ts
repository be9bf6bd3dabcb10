import type { Clock } from "@kubewright/clock";

/** Reports whether a promise that never rejects settles before the time has passed or the signal aborts. */
export function endsWithin(clock: Clock, ms: number, work: Promise<unknown>, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (hasEnded: boolean): void => {
      timer.cancel();
      signal.removeEventListener("abort", giveUp);
      resolve(hasEnded);
    };
    const giveUp = (): void => end(false);
    const timer = clock.after(ms, giveUp);
    if (signal.aborted) return giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    void work.then(() => end(true));
  });
}
