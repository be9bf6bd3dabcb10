import type { Clock } from "@kubewright/clock";

let isRunning = false;

/** Returns a CPU profile of the process, as the text of a `.cpuprofile`; `undefined` if another profile is being taken. */
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
