import type { WebhookMetrics } from "@kubewright/webhook";
import type { Metrics } from "./metrics.ts";

const buckets = Array.from({ length: 12 }, (_, power) => 10 ** (power - 8));

/**
 * The metrics of a server of webhooks.
 *
 * @see controller-runtime pkg/webhook/internal/metrics, pkg/webhook/admission/metrics, pkg/webhook/conversion/metrics
 */
export function webhookMetrics(metrics: Metrics): WebhookMetrics {
  const byPath = { labelNames: ["webhook"] } as const;
  const latency = metrics.histogram({
    name: "controller_runtime_webhook_latency_seconds",
    help: "How long calls of webhooks took",
    buckets,
    ...byPath,
  });
  const requests = metrics.counter({
    name: "controller_runtime_webhook_requests_total",
    help: "Calls of webhooks by HTTP status code",
    labelNames: ["webhook", "code"],
  });
  const inFlight = metrics.gauge({
    name: "controller_runtime_webhook_requests_in_flight",
    help: "How many calls of webhooks are being answered",
    ...byPath,
  });
  const panics = metrics.counter({
    name: "controller_runtime_webhook_panics_total",
    help: "Calls of webhooks that failed by a mistake in the program",
  });
  const conversionPanics = metrics.counter({
    name: "controller_runtime_conversion_webhook_panics_total",
    help: "Conversions that failed by a mistake in the program",
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
