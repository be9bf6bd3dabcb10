import type { Clock } from "@kubewright/clock";

/** Makes a call whose signal also aborts after `ms`. */
export async function withTimeout<T>(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const tooLong = new AbortController();
  const timer = clock.after(ms, () => tooLong.abort(new Error(`timed out after ${ms} ms`)));
  try {
    return await call(AbortSignal.any([signal, tooLong.signal]));
  } finally {
    timer.cancel();
  }
}
