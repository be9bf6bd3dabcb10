/** A counter metric. */
export interface Counter {
  inc(): void;
}

/** Metrics for one path. */
export interface PathMetrics {
  /** Duration of a call, in seconds. */
  readonly latency: { observe(seconds: number): void };
  /** Calls in progress. */
  readonly inFlight: { inc(): void; dec(): void };
  /** Calls by HTTP status code. */
  requests(code: string): Counter;
}

/**
 * Metrics of a webhook server. A manager supplies them.
 *
 * @see controller-runtime pkg/webhook/internal/metrics
 */
export interface WebhookMetrics {
  forPath(path: string): PathMetrics;
  /** Admission calls that failed because of a programming error. */
  readonly panics: Counter;
  /** Conversions that failed because of a programming error. */
  readonly conversionPanics: Counter;
}

const nowhere = { inc: () => {}, dec: () => {}, observe: () => {} };

/** Discards all metrics. */
export const noMetrics: WebhookMetrics = {
  forPath: () => ({ latency: nowhere, inFlight: nowhere, requests: () => nowhere }),
  panics: nowhere,
  conversionPanics: nowhere,
};
