export { type CacheOptions, Cluster, type ClusterClients, type ClusterOptions } from "./cluster.ts";
export type { EventsApi } from "./event-recorders.ts";
export { type HealthCheck, type HealthCheckOptions, ping } from "./health/health-checks.ts";
export { parseBindAddress } from "./http/bind-address.ts";
export { type HttpHandler, HttpServer, type HttpServerOptions } from "./http/http-server.ts";
export {
  type Admission,
  type ObjectAccess,
  RequestAuthenticator,
  type ReviewedUser,
} from "./http/request-authenticator.ts";
export type { ServingTls } from "./http/serving-tls.ts";
export type { LeaderElectionOptions } from "./leader-election/leader-election-options.ts";
export { Manager } from "./manager.ts";
export type { DescribedKind, ManagerDescription } from "./manager-description.ts";
export { FlagError, type ManagerFlags, managerFlags } from "./manager-flags.ts";
export type {
  ControllerDefaults,
  HealthOptions,
  ManagerOptions,
  MetricsOptions,
  ProfilingOptions,
} from "./manager-options.ts";
export {
  type CounterOptions,
  type CounterSeries,
  type GaugeOptions,
  type GaugeSeries,
  type HistogramOptions,
  type HistogramSeries,
  type MetricOptions,
  Metrics,
  type SeriesOf,
} from "./metrics.ts";
export type { PreflightOptions } from "./permissions/preflight.ts";
export { refuserOf } from "./permissions/refusal.ts";
export { type RequestedAccess, requestedAccess } from "./permissions/requested-access.ts";
export { run } from "./run.ts";
export type {
  DescribedCache,
  DescribedCertificates,
  DescribedController,
  DescribedWebhook,
  RunnableDescription,
} from "./runnable/description.ts";
export type { GroupName, Inspection, InspectionDetail, Runnable } from "./runnable/runnable.ts";
export { type SignalSource, signalContext } from "./signals.ts";
export type { ManagedWebhookServer, ManagerWebhooks, WebhookOptions } from "./webhooks.ts";
