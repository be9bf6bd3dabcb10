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
