import { priorityLabels, type QueueMetricsProvider } from "@kubewright/workqueue";
import type { Metrics } from "./metrics.ts";
import type { GaugeSeries } from "./series.ts";

const subsystem = "workqueue";
const buckets = [10e-9];
while (buckets.length < 12) buckets.push((buckets.at(-1) ?? 0) * 10); // multiplied as in upstream, including rounding

/**
 * Makes the metrics of work queues, by queue name.
 *
 * @see controller-runtime pkg/internal/metrics/workqueue.go
 */
export function queueMetrics(metrics: Metrics): QueueMetricsProvider {
  const common = { labelNames: ["name", "controller"] } as const;
  const depth = metrics.gauge({
    name: `${subsystem}_depth`,
    help: "Waiting items, by queue and priority",
    labelNames: ["name", "controller", "priority"],
  });
  const adds = metrics.counter({ name: `${subsystem}_adds_total`, help: "Items added", ...common });
  const retries = metrics.counter({
    name: `${subsystem}_retries_total`,
    help: "Items added again",
    ...common,
  });
  const queueDuration = metrics.histogram({
    name: `${subsystem}_queue_duration_seconds`,
    help: "Time that items wait before they are processed",
    buckets,
    ...common,
  });
  const workDuration = metrics.histogram({
    name: `${subsystem}_work_duration_seconds`,
    help: "Time taken to process items",
    buckets,
    ...common,
  });
  const unfinishedWork = metrics.gauge({
    name: `${subsystem}_unfinished_work_seconds`,
    help: "Time of work in progress that work_duration does not include yet; if it grows, a worker is stuck",
    ...common,
  });
  const longestRunning = metrics.gauge({
    name: `${subsystem}_longest_running_processor_seconds`,
    help: "Time since the start of the oldest work in progress",
    ...common,
  });
  return (name) => {
    const labelOf = priorityLabels();
    const depths = new Map<number, GaugeSeries>();
    const at = (priority: number): GaugeSeries => {
      const known = depths.get(priority);
      if (known) return known;
      const label = labelOf(priority);
      const made = depth(name, name, label);
      if (label === String(priority)) depths.set(priority, made); // other labels cover any number of priorities
      return made;
    };
    return {
      depth: { inc: (priority) => at(priority).inc(), dec: (priority) => at(priority).dec() },
      adds: adds(name, name),
      retries: retries(name, name),
      queueDuration: queueDuration(name, name),
      workDuration: workDuration(name, name),
      unfinishedWork: unfinishedWork(name, name),
      longestRunningProcessor: longestRunning(name, name),
    };
  };
}
