import { FakeClock } from "@kubewright/clock/testing";
import { silentLogger } from "@kubewright/log";
import { Manager } from "../manager.ts";
import type { ManagerOptions } from "../manager-options.ts";
import type { Runnable } from "../runnable.ts";

/** Starts a manager without a cluster. */
export const startManager = (options: ManagerOptions = {}, ...runnables: Runnable[]) => {
  const clock = new FakeClock();
  const stop = new AbortController();
  const manager = new Manager({
    connection: { server: "http://127.0.0.1:1" },
    metrics: { bindAddress: "0" },
    logger: silentLogger,
    clock,
    ...options,
  });
  for (const runnable of runnables) manager.add(runnable);
  let outcome: unknown = "running";
  const run = manager.run(stop.signal).then(
    () => {
      outcome = "stopped";
    },
    (error: unknown) => {
      outcome = error;
    },
  );
  return { clock, stop, manager, run, outcome: () => outcome };
};
