import { collectDefaultMetrics, Registry } from "prom-client";

let ofProcess: Registry | undefined;

/**
 * Has a registry answer with the process's own metrics as well. They are gathered once, however many registries show them: what gathers
 * them never ends, so that a registry of its own would be held for ever, with all that its metrics look at.
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
