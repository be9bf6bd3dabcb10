import type { CertWatcherMetrics } from "@kubewright/certificates";
import type { Client } from "@kubewright/client";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { HealthChecks } from "./health/health-checks.ts";
import { type HttpHandler, HttpServer } from "./http/http-server.ts";
import type { HealthOptions, MetricsOptions, ProfilingOptions } from "./manager-options.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { metricsHandler } from "./metrics/metrics-handler.ts";
import { RequestAuthenticator } from "./metrics/request-authenticator.ts";
import { profilingHandler } from "./profiling/profiling-handler.ts";

/** What the servers of a manager are made of. */
export interface ServerParts {
  /** Asked who may see metrics and profiles. */
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told of the files of certificates. */
  readonly certificateMetrics: CertWatcherMetrics;
}

/** None where the address is `"0"`. */
export function metricsServer(
  options: MetricsOptions,
  { client, clock, logger, certificateMetrics }: ServerParts,
  { metrics, extraHandlers }: { readonly metrics: Metrics; readonly extraHandlers: ReadonlyMap<string, HttpHandler> },
): HttpServer | undefined {
  const { bindAddress = ":8080", authenticate, tls } = options;
  if (bindAddress === "0") return undefined;
  const authenticator = authenticate ? new RequestAuthenticator(client, clock) : undefined;
  const handler = metricsHandler({ metrics, authenticator, extraHandlers });
  return new HttpServer({ name: "metrics", bindAddress, handler, logger, clock, tls, certificateMetrics });
}

/** None where the address is `"0"`, which is the default. */
export function healthServer(
  { bindAddress = "0" }: HealthOptions,
  logger: Logger,
  checks: readonly HealthChecks[],
): HttpServer | undefined {
  if (bindAddress === "0") return undefined;
  const handler: HttpHandler = (request, response, url) => {
    const served = checks.find((candidate) => candidate.serves(url.pathname));
    if (served) return served.handler(request, response, url);
    response.writeHead(404).end();
  };
  return new HttpServer({ name: "health", bindAddress, logger, handler });
}

/** None where the address is `"0"`, which is the default. */
export function profilingServer(
  options: ProfilingOptions,
  { client, clock, logger, certificateMetrics }: ServerParts,
): HttpServer | undefined {
  const { bindAddress = "0", authenticate = true, tls } = options;
  if (bindAddress === "0") return undefined;
  const authenticator = authenticate ? new RequestAuthenticator(client, clock) : undefined;
  const handler = profilingHandler({ clock, authenticator });
  return new HttpServer({ name: "profiling", bindAddress, handler, logger, clock, tls, certificateMetrics });
}
