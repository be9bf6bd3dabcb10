import type { WebhookMetrics } from "@kubewright/webhook";
import type { Metrics } from "./metrics.ts";

const buckets = Array.from({ length: 12 }, (_, power) => 10 ** (power - 8));

/**
 * Makes the metrics of a webhook server.
 *
 * @see controller-runtime pkg/webhook/internal/metrics, pkg/webhook/admission/metrics, pkg/webhook/conversion/metrics
 */
export function webhookMetrics(metrics: Metrics): WebhookMetrics {
  const byPath = { labelNames: ["webhook"] } as const;
  const latency = metrics.histogram({
    name: "controller_runtime_webhook_latency_seconds",
    help: "Duration of webhook calls",
    buckets,
    ...byPath,
  });
  const requests = metrics.counter({
    name: "controller_runtime_webhook_requests_total",
    help: "Webhook calls by HTTP status code",
    labelNames: ["webhook", "code"],
  });
  const inFlight = metrics.gauge({
    name: "controller_runtime_webhook_requests_in_flight",
    help: "Number of webhook calls in progress",
    ...byPath,
  });
  const panics = metrics.counter({
    name: "controller_runtime_webhook_panics_total",
    help: "Webhook calls that failed because of a programming error",
  });
  const conversionPanics = metrics.counter({
    name: "controller_runtime_conversion_webhook_panics_total",
    help: "Conversions that failed because of a programming error",
  });
  return {
    forPath: (path) => ({
      latency: latency(path),
      inFlight: inFlight(path),
      requests: (code) => requests(path, code),
    }),
    panics: panics(),
    conversionPanics: conversionPanics(),
  };
}
