/**
 * Metrics for a webhook server. A manager supplies them.
 *
 * @see controller-runtime pkg/webhook/internal/metrics
 */
export interface WebhookMetrics {
  /** Returns the metrics for one path. */
  forPath(path: string): {
    /** Duration of a call, in seconds. */
    readonly latency: { observe(seconds: number): void };
    /** Calls in progress. */
    readonly inFlight: { inc(): void; dec(): void };
    /** Calls with the given HTTP status code. */
    requests(code: string): { inc(): void };
  };
  /** Admission calls that failed because of a programming error. */
  readonly panics: { inc(): void };
  /** Conversions that failed because of a programming error. */
  readonly conversionPanics: { inc(): void };
}

const nowhere = { inc: () => {}, dec: () => {}, observe: () => {} };

/** Discards all metrics. */
export const noMetrics: WebhookMetrics = {
  forPath: () => ({ latency: nowhere, inFlight: nowhere, requests: () => nowhere }),
  panics: nowhere,
  conversionPanics: nowhere,
};
