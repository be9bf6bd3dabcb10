import { collectDefaultMetrics, Registry } from "prom-client";

let ofProcess: Registry | undefined;

/**
 * Adds the metrics of the process to a registry's output. One collector serves all registries, because a collector never ends: with a
 * separate collector, each registry would stay in memory forever, including everything to which its metrics refer.
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
