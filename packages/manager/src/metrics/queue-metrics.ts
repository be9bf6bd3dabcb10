import { priorityLabels, type QueueMetricsProvider } from "@kubewright/workqueue";
import type { Metrics } from "./metrics.ts";
import type { GaugeSeries } from "./series.ts";

const subsystem = "workqueue";
const buckets = [10e-9];
while (buckets.length < 12) buckets.push((buckets.at(-1) ?? 0) * 10); // multiplied as upstream does, rounding included

/**
 * The metrics of work queues, by queue name.
 *
 * @see controller-runtime pkg/internal/metrics/workqueue.go
 */
export function queueMetrics(metrics: Metrics): QueueMetricsProvider {
  const common = { labelNames: ["name", "controller"] } as const;
  const depth = metrics.gauge({
    name: `${subsystem}_depth`,
    help: "Items that wait, by queue and priority",
    labelNames: ["name", "controller", "priority"],
  });
  const adds = metrics.counter({ name: `${subsystem}_adds_total`, help: "Items that were added", ...common });
  const retries = metrics.counter({
    name: `${subsystem}_retries_total`,
    help: "Items that were added again",
    ...common,
  });
  const queueDuration = metrics.histogram({
    name: `${subsystem}_queue_duration_seconds`,
    help: "How long items wait before they are worked on",
    buckets,
    ...common,
  });
  const workDuration = metrics.histogram({
    name: `${subsystem}_work_duration_seconds`,
    help: "How long items are worked on",
    buckets,
    ...common,
  });
  const unfinishedWork = metrics.gauge({
    name: `${subsystem}_unfinished_work_seconds`,
    help: "Work in progress that work_duration has not seen yet; if it grows, something is stuck",
    ...common,
  });
  const longestRunning = metrics.gauge({
    name: `${subsystem}_longest_running_processor_seconds`,
    help: "How long the oldest work in progress has been going on",
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
      if (label === String(priority)) depths.set(priority, made); // the others are without limit
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
