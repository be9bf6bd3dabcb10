import { collectDefaultMetrics, Registry } from "prom-client";

let ofProcess: Registry | undefined;

/**
 * Adds the process's own metrics to a registry's output. They are collected once for all registries: the collector never ends, so a
 * registry of its own would stay in memory for ever, with everything its metrics refer to.
 */
export function exposeProcess(registry: Registry): void {
  ofProcess ??= gathered();
  for (const { name } of ofProcess.getMetricsAsArray()) {
    const metric = ofProcess.getSingleMetric(name);
    if (metric) registry.registerMetric(metric);
  }
}

function gathered(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}
