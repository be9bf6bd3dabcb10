/**
 * Metrics for one controller. Each member has the same type and meaning as the corresponding upstream metric, so you
 * can use a metrics library's counters, gauges and histograms directly. Times are in seconds.
 *
 * @see controller-runtime pkg/internal/controller/metrics
 */
export interface ControllerMetrics {
  /** `controller_runtime_reconcile_total` */
  readonly reconciles: Readonly<Record<"success" | "error" | "requeue" | "requeue_after", { inc(): void }>>;
  /** `controller_runtime_reconcile_errors_total` */
  readonly errors: { inc(): void };
  /** `controller_runtime_terminal_reconcile_errors_total` */
  readonly terminalErrors: { inc(): void };
  /** `controller_runtime_reconcile_panics_total` */
  readonly panics: { inc(): void };
  /** `controller_runtime_reconcile_timeouts_total` */
  readonly timeouts: { inc(): void };
  /** `controller_runtime_reconcile_time_seconds` */
  readonly reconcileTime: { observe(seconds: number): void };
  /** `controller_runtime_active_workers` */
  readonly activeWorkers: { inc(): void; dec(): void };
  /** `controller_runtime_max_concurrent_reconciles` */
  readonly maxConcurrentReconciles: { set(workers: number): void };
  /** `kubewright_reconcile_held_total`: reconciles delayed until the cache showed the program's own writes. Not in upstream. */
  readonly held: { inc(): void };
  /**
   * `kubewright_reconcile_live_reads_total`: reconciles that read from the server because the cache did not show the
   * program's own writes in time. Not in upstream.
   */
  readonly liveReads: { inc(): void };
}

const nothing = { inc(): void {}, dec(): void {}, set(): void {}, observe(): void {} };

/** Metrics that record nothing. The default for controllers; tests can override individual members. */
export const noMetrics: ControllerMetrics = {
  reconciles: { success: nothing, error: nothing, requeue: nothing, requeue_after: nothing },
  errors: nothing,
  terminalErrors: nothing,
  panics: nothing,
  timeouts: nothing,
  reconcileTime: nothing,
  activeWorkers: nothing,
  maxConcurrentReconciles: nothing,
  held: nothing,
  liveReads: nothing,
};
