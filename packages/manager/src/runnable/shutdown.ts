import type { Clock } from "@kubewright/clock";
import type { RunnableGroup } from "./runnable-group.ts";

/** One step of the stop: a group, or a pause between two groups. */
export type StopStep = Pick<RunnableGroup, "stop" | "abort" | "lateNames">;

/**
 * Stops groups one after the other. Groups that are still running after `timeoutMs` are abandoned, which is an error; 0 aborts all without
 * waiting, a negative number waits without limit.
 */
export async function stopInOrder(groups: readonly StopStep[], timeoutMs: number, clock: Clock): Promise<void> {
  if (timeoutMs === 0) {
    for (const group of groups) group.abort();
    return;
  }
  const stopped = (async () => {
    for (const group of groups) await group.stop();
  })();
  if (timeoutMs < 0) return stopped;
  const late = Promise.withResolvers<never>();
  const timer = clock.after(timeoutMs, () =>
    late.reject(
      new Error(
        `failed waiting for all runnables to end within grace period of ${timeoutMs} ms: context deadline exceeded; still running: ${groups.flatMap((group) => group.lateNames).join(", ")}`,
        { cause: new DOMException("the grace period is over", "TimeoutError") },
      ),
    ),
  );
  try {
    await Promise.race([stopped, late.promise]);
  } finally {
    timer.cancel();
    for (const group of groups) group.abort();
  }
}
