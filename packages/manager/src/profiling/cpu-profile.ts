import type { Clock } from "@kubewright/clock";

let isRunning = false;

/** What the process spends its time on for so long, as the text of a `.cpuprofile`; nothing where it is being looked at already. */
export async function cpuProfile(clock: Clock, ms: number, signal: AbortSignal): Promise<string | undefined> {
  if (isRunning) return undefined;
  isRunning = true;
  const { Session } = await import("node:inspector/promises");
  const session = new Session();
  try {
    session.connect();
    await session.post("Profiler.enable");
    await session.post("Profiler.start");
    await clock.sleep(ms, signal);
    const { profile } = await session.post("Profiler.stop");
    return JSON.stringify(profile);
  } finally {
    session.disconnect();
    isRunning = false;
  }
}
