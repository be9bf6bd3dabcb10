import { notFound } from "@kubewright/apimachinery";
import { FakeClock } from "@kubewright/clock/testing";
import type { LeaderElectionRecord, ResourceLock } from "@kubewright/leader-election";
import { silentLogger } from "@kubewright/log";
import { Manager, type ManagerOptions, type Runnable } from "@kubewright/manager";

/** Options of a manager without connections. */
export const alone: ManagerOptions = {
  connection: { server: "http://127.0.0.1:1" },
  metrics: { bindAddress: "0" },
  logger: silentLogger,
};

/** Runs a manager. */
export function runningManager(options: ManagerOptions = {}, ...runnables: Runnable[]) {
  const clock = new FakeClock();
  const stop = new AbortController();
  const manager = new Manager({ ...alone, clock, ...options });
  for (const runnable of runnables) manager.add(runnable);
  let outcome: unknown = "running";
  const ended = manager.run(stop.signal).then(
    () => {
      outcome = "stopped";
    },
    (error: unknown) => {
      outcome = error;
    },
  );
  const end = async (): Promise<void> => {
    stop.abort();
    await ended;
  };
  return { clock, stop, manager, ended, end, outcome: () => outcome };
}

/** Returns a lock that candidates of one process share through `store`. */
export function memoryLock(identity: string, store: { record?: LeaderElectionRecord } = {}): ResourceLock {
  return {
    identity,
    description: "ns/lock",
    get: async () => {
      if (!store.record) throw notFound({ group: "", resource: "leases" }, "lock");
      return store.record;
    },
    create: async (record) => {
      store.record = record;
    },
    update: async (record) => {
      store.record = record;
    },
    record: () => {},
  };
}
