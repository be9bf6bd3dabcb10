import { FakeClock } from "@kubewright/clock/testing";
import type { ControllerMetrics } from "@kubewright/controller";
import { silentLogger } from "@kubewright/log";
import { Manager } from "@kubewright/manager";

/** Returns a controller's metrics as numbers. */
export function countedMetrics() {
  const count: Record<string, number> = {};
  const counter = (name: string) => {
    count[name] = 0;
    const add = (by: number) => {
      count[name] = (count[name] ?? 0) + by;
    };
    const set = (value: number): void => {
      count[name] = value;
    };
    return { inc: () => add(1), dec: () => add(-1), set, observe: () => add(1) };
  };
  const made: ControllerMetrics = {
    reconciles: {
      success: counter("success"),
      error: counter("error"),
      requeue: counter("requeue"),
      requeue_after: counter("requeue_after"),
    },
    errors: counter("errors"),
    terminalErrors: counter("terminalErrors"),
    panics: counter("panics"),
    timeouts: counter("timeouts"),
    reconcileTime: counter("reconcileTime"),
    activeWorkers: counter("activeWorkers"),
    maxConcurrentReconciles: counter("maxConcurrentReconciles"),
    held: counter("held"),
    liveReads: counter("liveReads"),
  };
  return { metrics: () => made, count };
}

/** Returns the metrics of a manager, and their text. */
export function exposedMetrics() {
  const manager = new Manager({
    connection: { server: "http://127.0.0.1:1" },
    metrics: { bindAddress: "0" },
    logger: silentLogger,
    clock: new FakeClock(),
  });
  return { controllerMetrics: manager.controllerMetrics, exposed: () => manager.metrics.metrics() };
}
