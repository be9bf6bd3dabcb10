import type { RequestObserver } from "@kubewright/client";
import type { Metrics } from "./metrics.ts";

const durationBuckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
const sizeBuckets = [64, 256, 512, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216];

/**
 * Makes the metrics of a client's requests: their number, and with `details` also their duration, size and retries, and the duration of
 * name lookups. The client has no rate limiter for which a request could wait.
 *
 * @see controller-runtime pkg/metrics, component-base metrics/prometheus/restclient
 */
export function requestMetrics(metrics: Metrics, details: boolean): RequestObserver {
  const total = metrics.counter({
    name: "rest_client_requests_total",
    help: "Requests to the API server, counting each try; the code is <error> if no response arrived",
    labelNames: ["code", "method", "host"],
  });
  const count: RequestObserver["answered"] = ({ code, method, host }) => total(code, method, host).inc();
  if (!details) return { answered: count };
  const common = { labelNames: ["verb", "host"] } as const;
  const duration = metrics.histogram({
    name: "rest_client_request_duration_seconds",
    help: "Time until requests were answered",
    buckets: durationBuckets,
    ...common,
  });
  const requestSize = metrics.histogram({
    name: "rest_client_request_size_bytes",
    help: "Size of request bodies",
    buckets: sizeBuckets,
    ...common,
  });
  const responseSize = metrics.histogram({
    name: "rest_client_response_size_bytes",
    help: "Size of response bodies, without watches",
    buckets: sizeBuckets,
    ...common,
  });
  const lookup = metrics.histogram({
    name: "rest_client_dns_resolution_duration_seconds",
    help: "Time taken to look up the name of the API server, for connections without a proxy",
    buckets: durationBuckets,
    labelNames: ["host"],
  });
  const retries = metrics.counter({
    name: "rest_client_request_retries_total",
    help: "Requests that were retried",
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
