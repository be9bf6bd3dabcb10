import type { RequestObserver } from "@kubewright/client";
import type { Metrics } from "./metrics.ts";

const durationBuckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
const sizeBuckets = [64, 256, 512, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216];

/**
 * The metrics of a client's requests: how many there were, and with `details` also how long they and name resolution took, how
 * large they were and how many were sent again. The client has no limiter that a request could wait for.
 *
 * @see controller-runtime pkg/metrics, component-base metrics/prometheus/restclient
 */
export function requestMetrics(metrics: Metrics, details: boolean): RequestObserver {
  const total = metrics.counter({
    name: "rest_client_requests_total",
    help: "Requests to the API server, each try of them; the code is <error> where no answer came",
    labelNames: ["code", "method", "host"],
  });
  const count: RequestObserver["answered"] = ({ code, method, host }) => total(code, method, host).inc();
  if (!details) return { answered: count };
  const common = { labelNames: ["verb", "host"] } as const;
  const duration = metrics.histogram({
    name: "rest_client_request_duration_seconds",
    help: "How long requests took to be answered",
    buckets: durationBuckets,
    ...common,
  });
  const requestSize = metrics.histogram({
    name: "rest_client_request_size_bytes",
    help: "How large the bodies of requests were",
    buckets: sizeBuckets,
    ...common,
  });
  const responseSize = metrics.histogram({
    name: "rest_client_response_size_bytes",
    help: "How large the bodies of answers were, those of watches left out",
    buckets: sizeBuckets,
    ...common,
  });
  const lookup = metrics.histogram({
    name: "rest_client_dns_resolution_duration_seconds",
    help: "How long it took to look up the name of the API server, for connections without a proxy",
    buckets: durationBuckets,
    labelNames: ["host"],
  });
  const retries = metrics.counter({
    name: "rest_client_request_retries_total",
    help: "Requests that were sent again",
    labelNames: ["code", "verb", "host"],
  });
  return {
    answered(request) {
      count(request);
      const { method, host, durationMs, bytes } = request;
      duration(method, host).observe(durationMs / 1_000);
      requestSize(method, host).observe(bytes);
    },
    received: ({ method, host, bytes }) => responseSize(method, host).observe(bytes),
    resolved: ({ host, durationMs }) => lookup(host).observe(durationMs / 1_000),
    retried: ({ code, method, host }) => retries(code, method, host).inc(),
  };
}
