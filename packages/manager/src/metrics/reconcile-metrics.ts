import type { Metrics } from "./metrics.ts";

const buckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

/**
 * Makes the metrics of controllers, by controller name.
 *
 * @see controller-runtime pkg/internal/controller/metrics
 */
export function reconcileMetrics(metrics: Metrics) {
  const byController = { labelNames: ["controller"] } as const;
  const total = metrics.counter({
    name: "controller_runtime_reconcile_total",
    help: "Reconciles by controller and result",
    labelNames: ["controller", "result"],
  });
  const errors = metrics.counter({
    name: "controller_runtime_reconcile_errors_total",
    help: "Reconciles that failed",
    ...byController,
  });
  const terminalErrors = metrics.counter({
    name: "controller_runtime_terminal_reconcile_errors_total",
    help: "Reconciles that failed and are not retried",
    ...byController,
  });
  const panics = metrics.counter({
    name: "controller_runtime_reconcile_panics_total",
    help: "Reconciles that failed because of a programming error",
    ...byController,
  });
  const timeouts = metrics.counter({
    name: "controller_runtime_reconcile_timeouts_total",
    help: "Reconciles that exceeded their timeout",
    ...byController,
  });
  const reconcileTime = metrics.histogram({
    name: "controller_runtime_reconcile_time_seconds",
    help: "Duration of reconciles",
    buckets,
    ...byController,
  });
  const maxConcurrentReconciles = metrics.gauge({
    name: "controller_runtime_max_concurrent_reconciles",
    help: "Maximum number of concurrent reconciles",
    ...byController,
  });
  const activeWorkers = metrics.gauge({
    name: "controller_runtime_active_workers",
    help: "Number of running reconciles",
    ...byController,
  });
  const held = metrics.counter({
    name: "kubewright_reconcile_held_total",
    help: "Reconciles held back until the cache showed the previous reconcile's writes",
    ...byController,
  });
  const liveReads = metrics.counter({
    name: "kubewright_reconcile_live_reads_total",
    help: "Reconciles that read live because the cache did not show the previous reconcile's writes in time",
    ...byController,
  });
  /** Returns the metrics of one controller; every series exists from now on. */
  return (controller: string) => {
    const result = (name: string) => total(controller, name);
    return {
      reconciles: {
        success: result("success"),
        error: result("error"),
        requeue: result("requeue"),
        requeue_after: result("requeue_after"),
      },
      errors: errors(controller),
      terminalErrors: terminalErrors(controller),
      panics: panics(controller),
      timeouts: timeouts(controller),
      reconcileTime: reconcileTime(controller),
      maxConcurrentReconciles: maxConcurrentReconciles(controller),
      activeWorkers: activeWorkers(controller),
      held: held(controller),
      liveReads: liveReads(controller),
    };
  };
}
