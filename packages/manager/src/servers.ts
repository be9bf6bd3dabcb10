import type { CertWatcherMetrics } from "@kubewright/certificates";
import type { Client } from "@kubewright/client";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import { HealthChecks } from "./health-checks.ts";
import { type HttpHandler, HttpServer } from "./http-server.ts";
import type { HealthOptions, ManagerOptions, MetricsOptions, ProfilingOptions } from "./manager-options.ts";
import type { Metrics } from "./metrics.ts";
import { profilingHandler } from "./profiling.ts";
import { RequestAuthenticator } from "./request-authenticator.ts";

/** Path of the metrics. */
const metricsPath = "/metrics";

/** Dependencies of a manager's servers. */
interface ServerParts {
  /** Client that reviews access to metrics and profiles. */
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Metrics for certificate files. */
  readonly certificateMetrics: CertWatcherMetrics;
}

/** A manager's servers for metrics, probes and profiles. */
export class ManagerServers {
  readonly health: HealthChecks;
  readonly ready: HealthChecks;
  readonly #metricsHandlers = new Map<string, HttpHandler>();
  readonly #metricsServer: HttpServer | undefined;
  readonly #healthServer: HttpServer | undefined;
  readonly #profilingServer: HttpServer | undefined;

  /** @throws {Error} if a metrics path is in use */
  constructor(options: Pick<ManagerOptions, "metrics" | "health" | "profiling">, metrics: Metrics, parts: ServerParts) {
    this.health = new HealthChecks("/healthz", parts.clock);
    this.ready = new HealthChecks("/readyz", parts.clock);
    for (const [path, handler] of Object.entries(options.metrics?.extraHandlers ?? {}))
      this.addMetricsHandler(path, handler);
    this.#metricsServer = metricsServer(options.metrics ?? {}, parts, metrics, this.#metricsHandlers);
    this.#healthServer = healthServer(options.health ?? {}, parts.logger, [this.health, this.ready]);
    this.#profilingServer = profilingServer(options.profiling ?? {}, parts);
  }

  /** The enabled servers. */
  get all(): readonly HttpServer[] {
    return [this.#metricsServer, this.#healthServer, this.#profilingServer].filter((server) => server !== undefined);
  }

  get metricsPort(): number | undefined {
    return this.#metricsServer?.port;
  }

  get healthPort(): number | undefined {
    return this.#healthServer?.port;
  }

  get profilingPort(): number | undefined {
    return this.#profilingServer?.port;
  }

  /** Serves another path on the metrics server. @throws {Error} if the path is in use */
  addMetricsHandler(path: string, handler: HttpHandler): void {
    if (path === metricsPath) throw new Error(`overriding builtin ${path} endpoint is not allowed`);
    if (this.#metricsHandlers.has(path))
      throw new Error(`can't register extra handler by duplicate path "${path}" on metrics http server`);
    this.#metricsHandlers.set(path, handler);
  }
}

/** Creates the metrics server; returns `undefined` if the address is `"0"`. */
function metricsServer(
  options: MetricsOptions,
  { client, clock, logger, certificateMetrics }: ServerParts,
  metrics: Metrics,
  extraHandlers: ReadonlyMap<string, HttpHandler>,
): HttpServer | undefined {
  const { bindAddress = ":8080", authenticate, tls } = options;
  if (bindAddress === "0") return undefined;
  const authenticator = authenticate ? new RequestAuthenticator(client, clock) : undefined;
  const handler = metricsHandler(metrics, extraHandlers, authenticator);
  const setBy = "--metrics-bind-address (metrics.bindAddress), or 0 to disable it";
  return new HttpServer({ name: "metrics", bindAddress, setBy, handler, logger, clock, tls, certificateMetrics });
}

/**
 * Returns a handler that serves the registry in text format at `/metrics`, and the extra handlers at their paths, all with the same
 * authentication.
 */
function metricsHandler(
  metrics: Metrics,
  extraHandlers: ReadonlyMap<string, HttpHandler>,
  authenticator?: RequestAuthenticator,
): HttpHandler {
  return async (request, response, url) => {
    const admission = await authenticator?.admit(request, url.pathname);
    if (admission && admission.status !== 200) {
      response.writeHead(admission.status, { "content-type": "text/plain; charset=utf-8" });
      response.end(`${admission.message}\n`);
      return;
    }
    if (url.pathname === metricsPath) {
      const registry = await metrics.registry();
      const text = await registry.metrics();
      response.writeHead(200, { "content-type": registry.contentType });
      response.end(text);
      return;
    }
    const extra = extraHandlers.get(url.pathname);
    if (extra) return extra(request, response, url);
    response.writeHead(404, { "content-type": "text/plain; charset=utf-8" });
    response.end("404 page not found\n");
  };
}

/** Creates the health server; returns `undefined` if the address is `"0"`, the default. */
function healthServer(
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
  const setBy = "--health-probe-bind-address (health.bindAddress), or 0 to disable it";
  return new HttpServer({ name: "health", bindAddress, setBy, logger, handler });
}

/** Creates the profiling server; returns `undefined` if the address is `"0"`, the default. */
function profilingServer(
  options: ProfilingOptions,
  { client, clock, logger, certificateMetrics }: ServerParts,
): HttpServer | undefined {
  const { bindAddress = "0", authenticate = true, tls } = options;
  if (bindAddress === "0") return undefined;
  const authenticator = authenticate ? new RequestAuthenticator(client, clock) : undefined;
  const handler = profilingHandler({ clock, authenticator });
  const setBy = "profiling.bindAddress";
  return new HttpServer({ name: "profiling", bindAddress, setBy, handler, logger, clock, tls, certificateMetrics });
}
