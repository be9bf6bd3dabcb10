import type { InformerCache, InformerMetricsProvider } from "@kubewright/cache";
import type { Metrics } from "./metrics.ts";

const common = { labelNames: ["name", "group", "version", "resource"] } as const;
const buckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Only the last fifteen digits of versions are shown, the maximum that a number holds. */
const versionLimit = 1e15;

/**
 * Makes the metrics of informers, by resource. The label `name` distinguishes informers of one resource: it contains the name of a
 * factory's informers, the namespace that the informer is limited to (empty for all), and `(metadata)` for metadata-only informers.
 *
 * @see component-base metrics/prometheus/clientgo/fifo
 */
export function informerMetrics(metrics: Metrics): InformerMetricsProvider {
  const queued = metrics.gauge({ name: "informer_queued_items", help: "Changes waiting to be applied", ...common });
  const latency = metrics.histogram({
    name: "informer_processing_latency_seconds",
    help: "Time taken to apply changes after they were taken from the queue",
    buckets,
    ...common,
  });
  const version = metrics.gauge({
    name: "informer_store_resource_version",
    help: "Last fifteen digits of the store's resource version",
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

/**
 * Makes a metric of the time since the server's last response, for each kind of a cache; infinite before the first one. Not in upstream.
 */
export function freshnessMetrics(metrics: Metrics, cache: Pick<InformerCache, "ages">): void {
  metrics.gauge({
    name: "kubewright_informer_age_seconds",
    help: "Time since the server's last response: an event, a bookmark or a list",
    labelNames: ["kind"],
    collect(ageOf) {
      for (const [kind, ageMs] of cache.ages) ageOf(kind).set(ageMs / 1_000);
    },
  });
}
