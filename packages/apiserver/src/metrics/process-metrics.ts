import { collectDefaultMetrics, Registry } from "prom-client";

let ofProcess: Registry | undefined;

/**
 * Adds the process's own metrics to a registry's output. They are collected once for all registries, because the collector never ends. With
 * a separate collector, each registry would stay in memory forever, with everything that its metrics refer to.
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
