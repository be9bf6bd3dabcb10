import type { CertWatcherMetrics } from "@kubewright/certificates";
import type { CertificateMetrics } from "@kubewright/webhook";
import type { Metrics } from "./metrics.ts";

const phases = ["steady", "announced", "injected", "switched"] as const;

/** Makes the metrics of served certificates. @see controller-runtime pkg/certwatcher/metrics */
export function certificateMetrics(metrics: Metrics): CertWatcherMetrics & CertificateMetrics {
  const reads = metrics.counter({ name: "certwatcher_read_certificate_total", help: "Reads of certificate files" });
  const errors = metrics.counter({
    name: "certwatcher_read_certificate_errors_total",
    help: "Failed reads of certificate files, after which the previous certificate stays in use",
  });
  const expiry = metrics.gauge({
    name: "kubewright_webhook_certificate_expiry_timestamp_seconds",
    help: "End of the webhook certificate's validity, in seconds since 1970",
  });
  const caPhase = metrics.gauge({
    name: "kubewright_webhook_ca_phase",
    help: "1 for the current phase of the certificate authority's rotation, as seen by this replica",
    labelNames: ["phase"],
  });
  return {
    read: () => reads().inc(),
    readError: () => errors().inc(),
    expiry: (seconds) => expiry().set(seconds),
    phase(current) {
      for (const phase of phases) caPhase(phase).set(phase === current ? 1 : 0);
    },
  };
}
