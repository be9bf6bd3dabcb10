import { emitWarning } from "node:process";
import type { Clock, Timer } from "@kubewright/clock";

/**
 * Metrics for one queue. Each member has the same type and meaning as the corresponding upstream metric
 * (`workqueue_depth`, `workqueue_adds_total` and so on), so you can use a metrics library's gauges, counters and
 * histograms directly. Times are in seconds.
 *
 * @see client-go util/workqueue/metrics.go MetricsProvider
 * @see controller-runtime pkg/internal/metrics/workqueue.go
 */
export interface QueueMetrics {
  /** Number of ready items for each priority (0 in queues without priorities). `workqueue_depth` */
  readonly depth: { inc(priority: number): void; dec(priority: number): void };
  /** Number of accepted adds. An item that is already waiting is not counted again. `workqueue_adds_total` */
  readonly adds: { inc(): void };
  /** Time from becoming ready to being taken. `workqueue_queue_duration_seconds` */
  readonly queueDuration: { observe(seconds: number): void };
  /** Time from taking an item to finishing it. `workqueue_work_duration_seconds` */
  readonly workDuration: { observe(seconds: number): void };
  /** Total time spent so far on all items in progress. `workqueue_unfinished_work_seconds` */
  readonly unfinishedWork: { set(seconds: number): void };
  /** Time spent so far on the item that has been in progress longest. `workqueue_longest_running_processor_seconds` */
  readonly longestRunningProcessor: { set(seconds: number): void };
  /** Number of adds with a delay. `workqueue_retries_total` */
  readonly retries: { inc(): void };
}

/** Creates the metrics for a queue. The queue's name becomes the label `name`. */
export type QueueMetricsProvider = (queueName: string) => QueueMetrics;

/** Maximum number of priorities with their own label value. */
const maxPriorityLabels = 25;

/** Label value shared by all priorities beyond the limit. */
export const otherPriorities = "exceeded_cardinality_limit";

/**
 * Returns a function that maps priorities to values of the `priority` label: at most `max` different values (default
 * 25), and a placeholder for all further ones. Without this limit, the number of time series would be unlimited.
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

const refreshMs = 500;

/** Tracks a queue's items through their stages and reports to its {@link QueueMetrics}. */
export class QueueMeter<T> {
  readonly #metrics: QueueMetrics;
  readonly #clock: Clock;
  readonly #readySince = new Map<T, number>();
  readonly #workedSince = new Map<T, number>();
  /** The next update of the metrics for work in progress: the first one, which sets them to 0, or one while there is work. */
  #refresh: Timer | undefined;
  #isStopped = false;

  constructor(metrics: QueueMetrics, clock: Clock) {
    this.#metrics = forgiving(metrics);
    this.#clock = clock;
    this.#scheduleRefresh();
  }

  /** Must be called when an item becomes ready, or will be ready once it is done. */
  added(item: T, priority = 0): void {
    this.#metrics.adds.inc();
    this.#metrics.depth.inc(priority);
    if (!this.#readySince.has(item)) this.#readySince.set(item, this.#clock.monotonic());
  }

  /** Returns the time at which an item became ready, in monotonic milliseconds of the clock. */
  readySinceMs(item: T): number | undefined {
    return this.#readySince.get(item);
  }

  movedTo(priority: number, from: number): void {
    this.#metrics.depth.dec(from);
    this.#metrics.depth.inc(priority);
  }

  taken(item: T, priority = 0): void {
    const now = this.#clock.monotonic();
    this.#metrics.depth.dec(priority);
    const since = this.#readySince.get(item);
    if (since !== undefined) {
      this.#metrics.queueDuration.observe((now - since) / 1_000);
      this.#readySince.delete(item);
    }
    this.#workedSince.set(item, now);
    if (this.#refresh === undefined) this.#scheduleRefresh();
  }

  done(item: T): void {
    const since = this.#workedSince.get(item);
    if (since === undefined) return;
    this.#metrics.workDuration.observe((this.#clock.monotonic() - since) / 1_000);
    this.#workedSince.delete(item);
  }

  /** Must be called when an item in progress is held instead of processed. */
  held(item: T): void {
    this.#workedSince.delete(item);
  }

  retried(): void {
    this.#metrics.retries.inc();
  }

  /** Stops the periodic updates of the metrics for work in progress. */
  stop(): void {
    this.#isStopped = true;
    this.#refresh?.cancel();
  }

  #scheduleRefresh(): void {
    if (this.#isStopped) return;
    this.#refresh = this.#clock.after(refreshMs, () => this.#onRefresh(), { unref: true });
  }

  #onRefresh(): void {
    const now = this.#clock.monotonic();
    let total = 0;
    let longest = 0;
    for (const since of this.#workedSince.values()) {
      total += now - since;
      longest = Math.max(longest, now - since);
    }
    this.#metrics.unfinishedWork.set(total / 1_000);
    this.#metrics.longestRunningProcessor.set(longest / 1_000);
    this.#refresh = undefined;
    if (this.#workedSince.size > 0) this.#scheduleRefresh();
  }
}

/** Wraps metrics so that their errors do not affect items. The first error is reported as a warning. */
function forgiving(metrics: QueueMetrics): QueueMetrics {
  let hasFailed = false;
  const attempt = (report: (value: number) => void): ((value: number) => void) => {
    return (value) => {
      try {
        report(value);
      } catch (error) {
        if (!hasFailed) emitWarning(`the metrics of a work queue threw: ${textOf(error)}`);
        hasFailed = true;
      }
    };
  };
  const { depth, adds, queueDuration, workDuration, unfinishedWork, longestRunningProcessor, retries } = metrics;
  const add = attempt(() => adds.inc());
  const retry = attempt(() => retries.inc());
  return {
    depth: { inc: attempt((priority) => depth.inc(priority)), dec: attempt((priority) => depth.dec(priority)) },
    adds: { inc: () => add(1) },
    queueDuration: { observe: attempt((seconds) => queueDuration.observe(seconds)) },
    workDuration: { observe: attempt((seconds) => workDuration.observe(seconds)) },
    unfinishedWork: { set: attempt((seconds) => unfinishedWork.set(seconds)) },
    longestRunningProcessor: { set: attempt((seconds) => longestRunningProcessor.set(seconds)) },
    retries: { inc: () => retry(1) },
  };
}

/** Returns a thrown value as text. The program provides the metrics, which may throw values that cannot be converted to text. */
function textOf(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return "an unreadable value";
  }
}
