/**
 * Metrics of one queue. Each member has the shape and the meaning of upstream's metric of that name (`workqueue_depth`,
 * `workqueue_adds_total` and so on), so a metrics library's gauges, counters and histograms fit directly. Times are in seconds.
 *
 * @see client-go util/workqueue/metrics.go MetricsProvider
 * @see controller-runtime pkg/internal/metrics/workqueue.go
 */
export interface QueueMetrics {
  /** Number of ready items, by priority (0 in queues without priorities). `workqueue_depth` */
  readonly depth: { inc(priority: number): void; dec(priority: number): void };
  /** Number of accepted adds: an item that is already waiting is not counted again. `workqueue_adds_total` */
  readonly adds: { inc(): void };
  /** Time from becoming ready to being taken. `workqueue_queue_duration_seconds` */
  readonly queueDuration: { observe(seconds: number): void };
  /** Time from being taken to being done. `workqueue_work_duration_seconds` */
  readonly workDuration: { observe(seconds: number): void };
  /** Total time so far of all items in progress. `workqueue_unfinished_work_seconds` */
  readonly unfinishedWork: { set(seconds: number): void };
  /** Time so far of the item that has been in progress longest. `workqueue_longest_running_processor_seconds` */
  readonly longestRunningProcessor: { set(seconds: number): void };
  /** Number of adds with a delay. `workqueue_retries_total` */
  readonly retries: { inc(): void };
}

/** Makes the metrics of the queue with a given name; the name becomes the label `name`. */
export type QueueMetricsProvider = (queueName: string) => QueueMetrics;

/** Maximum number of priorities with a label value of their own. */
export const maxPriorityLabels = 25;

/** Label value that all further priorities share. */
export const otherPriorities = "exceeded_cardinality_limit";

/**
 * Returns a function that turns priorities into values of the label `priority`: at most {@link maxPriorityLabels} of them, and one
 * placeholder, because an unbounded label would create an unbounded number of time series.
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
