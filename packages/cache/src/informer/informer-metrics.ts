import type { GroupVersionResource } from "@kubewright/apimachinery";

/**
 * Metrics of one informer. The members have the shape of a metrics library's gauges and histograms.
 *
 * @see client-go tools/cache InformerMetricsProvider
 */
export interface InformerMetrics {
  /** Number of entries waiting to be applied. */
  readonly queuedItems: { set(count: number): void };
  /** Time taken to apply a batch of entries, in seconds. */
  readonly processingLatency: { observe(seconds: number): void };
  /** Resource version of the store, if it is a number. */
  readonly storeResourceVersion: { set(version: number): void };
}

/** An informer for which a cache or factory requests metrics. */
export interface ReportingInformer {
  /** Name of the factory's informers; see `InformerName`. */
  readonly name?: string | undefined;
  readonly resource: GroupVersionResource;
  /** Namespace that the informer is limited to; empty for all namespaces. */
  readonly namespace: string;
  readonly isMetadataOnly: boolean;
}

/** Makes the metrics of an informer; returns `undefined` for none. */
export type InformerMetricsProvider = (informer: ReportingInformer) => InformerMetrics | undefined;
