import type { CertWatcherMetrics } from "@kubewright/certificates";
import type { CertificateMetrics } from "@kubewright/webhook";
import type { Metrics } from "./metrics.ts";

const phases = ["steady", "announced", "injected", "switched"] as const;

/** What there is to know of certificates that are served. @see controller-runtime pkg/certwatcher/metrics */
export function certificateMetrics(metrics: Metrics): CertWatcherMetrics & CertificateMetrics {
  const reads = metrics.counter({ name: "certwatcher_read_certificate_total", help: "Reads of certificates in files" });
  const errors = metrics.counter({
    name: "certwatcher_read_certificate_errors_total",
    help: "Reads of certificates in files that failed, so that the old one stayed",
  });
  const expiry = metrics.gauge({
    name: "kubewright_webhook_certificate_expiry_timestamp_seconds",
    help: "When the certificate that webhooks are served with ends, in seconds since 1970",
  });
  const caPhase = metrics.gauge({
    name: "kubewright_webhook_ca_phase",
    help: "1 for the phase of the change of the certificate authority that this replica has seen",
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
