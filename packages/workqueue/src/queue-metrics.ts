/**
 * Where one queue reports to. Each member has the shape and the meaning of upstream's metric of that name (`workqueue_depth`,
 * `workqueue_adds_total` and so on), so a metrics library's gauges, counters and histograms fit as they are. Times are seconds.
 *
 * @see client-go util/workqueue/metrics.go MetricsProvider
 * @see controller-runtime pkg/internal/metrics/workqueue.go
 */
export interface QueueMetrics {
  /** How many items are ready, by priority (0 in queues without). `workqueue_depth` */
  readonly depth: { inc(priority: number): void; dec(priority: number): void };
  /** Adds that were accepted: an item that waits already is not added again. `workqueue_adds_total` */
  readonly adds: { inc(): void };
  /** From ready to handed out. `workqueue_queue_duration_seconds` */
  readonly queueDuration: { observe(seconds: number): void };
  /** From handed out to done. `workqueue_work_duration_seconds` */
  readonly workDuration: { observe(seconds: number): void };
  /** Time spent so far on everything being worked on. `workqueue_unfinished_work_seconds` */
  readonly unfinishedWork: { set(seconds: number): void };
  /** Time spent so far on what has been worked on longest. `workqueue_longest_running_processor_seconds` */
  readonly longestRunningProcessor: { set(seconds: number): void };
  /** Adds with a delay. `workqueue_retries_total` */
  readonly retries: { inc(): void };
}

/** Makes the metrics of the queue with a given name; the name becomes the label `name`. */
export type QueueMetricsProvider = (queueName: string) => QueueMetrics;

/** How many priorities get a label value of their own. */
export const maxPriorityLabels = 25;

/** The label value that all further priorities share. */
export const otherPriorities = "exceeded_cardinality_limit";

/**
 * Turns priorities into values of the label `priority`, never more than {@link maxPriorityLabels} of them and one placeholder:
 * an unbounded label would be an unbounded number of time series.
 *
 * @see controller-runtime pkg/internal/metrics/workqueue.go depthWithPriorityMetric
 */
export function priorityLabels(options: { readonly max?: number | undefined } = {}): (priority: number) => string {
  const { max = maxPriorityLabels } = options;
  const known = new Set<number>();
  return (priority) => {
    if (known.has(priority)) return String(priority);
    if (known.size >= max) return otherPriorities;
    known.add(priority);
    return String(priority);
  };
}
