import { priorityLabels, type QueueMetricsProvider } from "@kubewright/workqueue";
import { Counter, exponentialBuckets, Gauge, Histogram, type Registry } from "prom-client";

const subsystem = "workqueue";
const buckets = exponentialBuckets(10e-9, 10, 12);

/**
 * The metrics of work queues, by queue name.
 *
 * @see controller-runtime pkg/internal/metrics/workqueue.go
 */
export function queueMetrics(registry: Registry): QueueMetricsProvider {
  const common = { labelNames: ["name", "controller"] as const, registers: [registry] };
  const depth = new Gauge({
    name: `${subsystem}_depth`,
    help: "Items that wait, by queue and priority",
    labelNames: ["name", "controller", "priority"],
    registers: [registry],
  });
  const adds = new Counter({ name: `${subsystem}_adds_total`, help: "Items that were added", ...common });
  const retries = new Counter({ name: `${subsystem}_retries_total`, help: "Items that were added again", ...common });
  const queueDuration = new Histogram({
    name: `${subsystem}_queue_duration_seconds`,
    help: "How long items wait before they are worked on",
    buckets,
    ...common,
  });
  const workDuration = new Histogram({
    name: `${subsystem}_work_duration_seconds`,
    help: "How long items are worked on",
    buckets,
    ...common,
  });
  const unfinishedWork = new Gauge({
    name: `${subsystem}_unfinished_work_seconds`,
    help: "Work in progress that work_duration has not seen yet; if it grows, something is stuck",
    ...common,
  });
  const longestRunning = new Gauge({
    name: `${subsystem}_longest_running_processor_seconds`,
    help: "How long the oldest work in progress has been going on",
    ...common,
  });
  return (name) => {
    const labelOf = priorityLabels();
    const at = (priority: number) => depth.labels(name, name, labelOf(priority));
    return {
      depth: { inc: (priority) => at(priority).inc(), dec: (priority) => at(priority).dec() },
      adds: adds.labels(name, name),
      retries: retries.labels(name, name),
      queueDuration: queueDuration.labels(name, name),
      workDuration: workDuration.labels(name, name),
      unfinishedWork: unfinishedWork.labels(name, name),
      longestRunningProcessor: longestRunning.labels(name, name),
    };
  };
}
