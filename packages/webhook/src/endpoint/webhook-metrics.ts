interface Counter {
  inc(): void;
}

/** The metrics of one path. */
export interface PathMetrics {
  /** How long a call took, in seconds. */
  readonly latency: { observe(seconds: number): void };
  /** Calls that are being answered. */
  readonly inFlight: { inc(): void; dec(): void };
  /** Calls by HTTP status code. */
  requests(code: string): Counter;
}

/**
 * Where a server of webhooks reports to. Whoever runs one supplies it; a manager does.
 *
 * @see controller-runtime pkg/webhook/internal/metrics
 */
export interface WebhookMetrics {
  forPath(path: string): PathMetrics;
  /** Admission calls that ended by a mistake in the program. */
  readonly panics: Counter;
  /** Conversions that ended so. */
  readonly conversionPanics: Counter;
}

const nowhere = { inc: () => {}, dec: () => {}, observe: () => {} };

/** Counts nothing. */
export const noMetrics: WebhookMetrics = {
  forPath: () => ({ latency: nowhere, inFlight: nowhere, requests: () => nowhere }),
  panics: nowhere,
  conversionPanics: nowhere,
};
