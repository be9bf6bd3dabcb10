import type { InformerCache, InformerMetricsProvider } from "@kubewright/cache";
import type { Metrics } from "./metrics.ts";

const common = { labelNames: ["name", "group", "version", "resource"] } as const;
const buckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Of versions the last fifteen digits are shown: more a number does not hold. */
const versionLimit = 1e15;

/**
 * The metrics of informers, by what they keep. The label `name` tells apart those of one resource: the name of a factory's
 * informers, the namespace that one is limited to (empty for all), and `(metadata)` where only that is kept.
 *
 * @see component-base metrics/prometheus/clientgo/fifo
 */
export function informerMetrics(metrics: Metrics): InformerMetricsProvider {
  const queued = metrics.gauge({ name: "informer_queued_items", help: "Changes that wait to be applied", ...common });
  const latency = metrics.histogram({
    name: "informer_processing_latency_seconds",
    help: "How long applying changes took once they were taken from the queue",
    buckets,
    ...common,
  });
  const version = metrics.gauge({
    name: "informer_store_resource_version",
    help: "The last fifteen digits of the resource version that the store is at",
    ...common,
  });
  return ({ name: given = "", resource, namespace, isMetadataOnly }) => {
    const name = [given, namespace, isMetadataOnly ? "(metadata)" : ""].filter((part) => part !== "").join(" ");
    const labels = [name, resource.group, resource.version, resource.resource] as const;
    const storeVersion = version(...labels);
    return {
      queuedItems: queued(...labels),
      processingLatency: latency(...labels),
      storeResourceVersion: { set: (value) => storeVersion.set(value % versionLimit) },
    };
  };
}

/** How long ago the server last gave a sign of life, of each kind that a cache keeps; infinite before the first. Upstream has none such. */
export function freshnessMetrics(metrics: Metrics, cache: Pick<InformerCache, "ages">): void {
  metrics.gauge({
    name: "kubewright_informer_age_seconds",
    help: "Time since the server last gave a sign of life: an event, a bookmark or a list",
    labelNames: ["kind"],
    collect(ageOf) {
      for (const [kind, ageMs] of cache.ages) ageOf(kind).set(ageMs / 1_000);
    },
  });
}
