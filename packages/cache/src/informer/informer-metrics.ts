import type { GroupVersionResource } from "@kubewright/apimachinery";

/**
 * Where one informer reports to; each member has the shape of a metrics library's gauge or histogram.
 *
 * @see client-go tools/cache InformerMetricsProvider
 */
export interface InformerMetrics {
  /** Entries that wait to be applied. */
  readonly queuedItems: { set(count: number): void };
  /** How long applying a batch of entries took, in seconds. */
  readonly processingLatency: { observe(seconds: number): void };
  /** The version that the store is at. */
  readonly storeResourceVersion: { set(version: number): void };
}

/** Which informer of a cache reports. */
export interface ReportingInformer {
  readonly resource: GroupVersionResource;
  /** The namespace that it is limited to; empty for all. */
  readonly namespace: string;
  readonly isMetadataOnly: boolean;
}

/** Makes the metrics of an informer; `undefined`: it has none. */
export type InformerMetricsProvider = (informer: ReportingInformer) => InformerMetrics | undefined;
