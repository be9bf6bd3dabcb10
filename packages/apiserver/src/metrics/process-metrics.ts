import { collectDefaultMetrics, Registry } from "prom-client";

let ofProcess: Registry | undefined;

/**
 * Adds the process metrics to a registry's output. All registries share one collector, because collectors are never
 * released: with a collector of its own, each registry would remain in memory forever, including everything to which
 * its metrics refer.
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
