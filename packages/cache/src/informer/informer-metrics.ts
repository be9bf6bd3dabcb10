import type { GroupVersionResource } from "@kubewright/apimachinery";

/**
 * Where one informer reports to. The members have the shape of a metrics library's gauges and histograms.
 *
 * @see client-go tools/cache InformerMetricsProvider
 */
export interface InformerMetrics {
  /** The number of entries that wait to be applied. */
  readonly queuedItems: { set(count: number): void };
  /** The time that it took to apply a batch of entries, in seconds. */
  readonly processingLatency: { observe(seconds: number): void };
  /** The resource version of the store, where it is a number. */
  readonly storeResourceVersion: { set(version: number): void };
}

/** The informer of a cache or factory that asks for metrics. */
export interface ReportingInformer {
  /** Of a factory's informers; see `InformerName`. */
  readonly name?: string | undefined;
  readonly resource: GroupVersionResource;
  /** The namespace that the informer is limited to; empty: all. */
  readonly namespace: string;
  readonly isMetadataOnly: boolean;
}

/** Makes the metrics of an informer; `undefined` for none. */
export type InformerMetricsProvider = (informer: ReportingInformer) => InformerMetrics | undefined;
