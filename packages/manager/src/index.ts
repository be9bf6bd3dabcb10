export type { DescribedController } from "@kubewright/rbac";
export type { ReconcileRecording, RecorderOptions } from "@kubewright/replay/recording";
export { type CacheOptions, Cluster, type ClusterClients, type ClusterOptions } from "./cluster.ts";
export { type HealthCheck, type HealthCheckOptions, ping } from "./health-checks.ts";
export type { HttpHandler, ServingTls } from "./http-server.ts";
export type { ClientTerm, LeaderElectionOptions, ShardingOptions, Shards } from "./leader-election.ts";
export { Manager } from "./manager.ts";
export type { ManagerDescription } from "./manager-description.ts";
export { FlagError, isFlagError, type ManagerFlags, managerFlags } from "./manager-flags.ts";
export type { ManagerMetrics } from "./manager-metrics.ts";
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
export type { PreflightOptions } from "./preflight.ts";
export { run } from "./run.ts";
export type {
  GroupName,
  Inspection,
  InspectionDetail,
  KeyAction,
  Runnable,
  RunnableDescription,
} from "./runnable.ts";
export { type SignalSource, signalContext } from "./signals.ts";
export type { ManagedWebhookServer, ManagerWebhooks, WebhookOptions } from "./webhooks.ts";
