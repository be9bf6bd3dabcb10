import type { Clock } from "@kubewright/clock";

/** Whether a promise that never rejects is settled before the time is up or the signal aborts. */
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
