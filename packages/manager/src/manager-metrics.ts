import type { InformerCache, InformerMetricsProvider } from "@kubewright/cache";
import type { CertWatcherMetrics } from "@kubewright/certificates";
import type { RequestObserver } from "@kubewright/client";
import type { ElectorMetrics, ShardMetrics } from "@kubewright/leader-election";
import type { CertificateMetrics, WebhookMetrics } from "@kubewright/webhook";
import { priorityLabels, type QueueMetricsProvider } from "@kubewright/workqueue";
import type { GaugeSeries, Metrics } from "./metrics.ts";

/**
 * Metrics for the parts of a manager. Most have the same names as upstream. Metrics for an optional part are created
 * together with that part.
 */
export class ManagerMetrics {
  readonly #metrics: Metrics;
  /** Creates a queue's metrics. Receives the queue's name. */
  readonly queues: QueueMetricsProvider;
  /** Creates the metrics of the controller with the given name. */
  readonly controllers: ReturnType<typeof reconcileMetrics>;
  /** Metrics for served certificates. */
  readonly certificates: ReturnType<typeof certificateMetrics>;
  /** Creates the metrics of an informer for a resource. */
  readonly informers: InformerMetricsProvider;

  /** @param metrics registry for all metrics */
  constructor(metrics: Metrics) {
    this.#metrics = metrics;
    this.queues = queueMetrics(metrics);
    this.controllers = reconcileMetrics(metrics);
    this.certificates = certificateMetrics(metrics);
    this.informers = informerMetrics(metrics);
  }

  /** Creates the metric for the age of a cache. */
  cache(cache: Pick<InformerCache, "ages">): void {
    cacheMetrics(this.#metrics, cache);
  }

  /**
   * Creates the metrics for a client's requests.
   *
   * @param details true to also measure duration, size, retries and name lookups
   */
  requests(details: boolean): RequestObserver {
    return requestMetrics(this.#metrics, details);
  }

  /** Creates the metrics for leader election. */
  leader(): ElectorMetrics {
    return leaderMetrics(this.#metrics);
  }

  /** Creates the metrics for sharding. */
  shards(): ShardMetrics {
    return shardMetrics(this.#metrics);
  }

  /** Creates the metrics for the webhook server. */
  webhooks(): WebhookMetrics {
    return webhookMetrics(this.#metrics);
  }
}

const queueBuckets = [10e-9];
while (queueBuckets.length < 12) queueBuckets.push((queueBuckets.at(-1) ?? 0) * 10); // multiplied as in upstream, to get the same rounding

/**
 * Returns a function that creates the metrics of the work queue with the given name.
 *
 * @see controller-runtime pkg/internal/metrics/workqueue.go
 */
function queueMetrics(metrics: Metrics): QueueMetricsProvider {
  const common = { labelNames: ["name", "controller"] } as const;
  const depth = metrics.gauge({
    name: "workqueue_depth",
    help: "Waiting items, by queue and priority",
    labelNames: ["name", "controller", "priority"],
  });
  const adds = metrics.counter({ name: "workqueue_adds_total", help: "Items added", ...common });
  const retries = metrics.counter({
    name: "workqueue_retries_total",
    help: "Items added again",
    ...common,
  });
  const queueDuration = metrics.histogram({
    name: "workqueue_queue_duration_seconds",
    help: "Time that items wait before they are processed",
    buckets: queueBuckets,
    ...common,
  });
  const workDuration = metrics.histogram({
    name: "workqueue_work_duration_seconds",
    help: "Time taken to process items",
    buckets: queueBuckets,
    ...common,
  });
  const unfinishedWork = metrics.gauge({
    name: "workqueue_unfinished_work_seconds",
    help: "Time of work in progress that work_duration does not include yet; if it grows, a worker is stuck",
    ...common,
  });
  const longestRunning = metrics.gauge({
    name: "workqueue_longest_running_processor_seconds",
    help: "Time since the start of the oldest work in progress",
    ...common,
  });
  return (name) => {
    const labelOf = priorityLabels();
    const depths = new Map<number, GaugeSeries>();
    const at = (priority: number): GaugeSeries => {
      const known = depths.get(priority);
      if (known) return known;
      const label = labelOf(priority);
      const made = depth(name, name, label);
      if (label === String(priority)) depths.set(priority, made); // other labels cover any number of priorities
      return made;
    };
    return {
      depth: { inc: (priority) => at(priority).inc(), dec: (priority) => at(priority).dec() },
      adds: adds(name, name),
      retries: retries(name, name),
      queueDuration: queueDuration(name, name),
      workDuration: workDuration(name, name),
      unfinishedWork: unfinishedWork(name, name),
      longestRunningProcessor: longestRunning(name, name),
    };
  };
}

const reconcileBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

/**
 * Returns a function that creates the metrics of the controller with the given name.
 *
 * @see controller-runtime pkg/internal/controller/metrics
 */
function reconcileMetrics(metrics: Metrics) {
  const byController = { labelNames: ["controller"] } as const;
  const total = metrics.counter({
    name: "controller_runtime_reconcile_total",
    help: "Reconciles by controller and result",
    labelNames: ["controller", "result"],
  });
  const errors = metrics.counter({
    name: "controller_runtime_reconcile_errors_total",
    help: "Reconciles that failed",
    ...byController,
  });
  const terminalErrors = metrics.counter({
    name: "controller_runtime_terminal_reconcile_errors_total",
    help: "Reconciles that failed and are not retried",
    ...byController,
  });
  const panics = metrics.counter({
    name: "controller_runtime_reconcile_panics_total",
    help: "Reconciles that failed because of a programming error",
    ...byController,
  });
  const timeouts = metrics.counter({
    name: "controller_runtime_reconcile_timeouts_total",
    help: "Reconciles that exceeded their timeout",
    ...byController,
  });
  const reconcileTime = metrics.histogram({
    name: "controller_runtime_reconcile_time_seconds",
    help: "Duration of reconciles",
    buckets: reconcileBuckets,
    ...byController,
  });
  const maxConcurrentReconciles = metrics.gauge({
    name: "controller_runtime_max_concurrent_reconciles",
    help: "Maximum number of concurrent reconciles",
    ...byController,
  });
  const activeWorkers = metrics.gauge({
    name: "controller_runtime_active_workers",
    help: "Number of running reconciles",
    ...byController,
  });
  const held = metrics.counter({
    name: "kubewright_reconcile_held_total",
    help: "Reconciles delayed until the cache showed the previous reconcile's writes",
    ...byController,
  });
  const liveReads = metrics.counter({
    name: "kubewright_reconcile_live_reads_total",
    help: "Reconciles that read from the server because the cache did not show the previous reconcile's writes in time",
    ...byController,
  });
  /** Returns a controller's metrics. Every series exists from this call on. */
  return (controller: string) => {
    const result = (name: string) => total(controller, name);
    return {
      reconciles: {
        success: result("success"),
        error: result("error"),
        requeue: result("requeue"),
        requeue_after: result("requeue_after"),
      },
      errors: errors(controller),
      terminalErrors: terminalErrors(controller),
      panics: panics(controller),
      timeouts: timeouts(controller),
      reconcileTime: reconcileTime(controller),
      maxConcurrentReconciles: maxConcurrentReconciles(controller),
      activeWorkers: activeWorkers(controller),
      held: held(controller),
      liveReads: liveReads(controller),
    };
  };
}

const durationBuckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
const sizeBuckets = [64, 256, 512, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216];

/**
 * Creates the metrics for a client's requests: their number and, with `details`, also their duration, size and retries, and the duration of
 * name lookups. There are no rate limiter metrics, because the client has no rate limiter.
 *
 * @see controller-runtime pkg/metrics, component-base metrics/prometheus/restclient
 */
function requestMetrics(metrics: Metrics, details: boolean): RequestObserver {
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
    help: "Time until the responses to requests arrived",
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
    help: "Size of response bodies, excluding watches",
    buckets: sizeBuckets,
    ...common,
  });
  const lookup = metrics.histogram({
    name: "rest_client_dns_resolution_duration_seconds",
    help: "Time taken to look up the API server's host name, for connections without a proxy",
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

const byInformer = { labelNames: ["name", "group", "version", "resource"] } as const;
const informerBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Divisor that reduces a version to its last fifteen digits, as many as a number can represent exactly. */
const versionLimit = 1e15;

/**
 * Returns a function that creates the metrics of an informer for a resource. The label `name` distinguishes informers
 * of one resource. It contains the name of a factory's informers, the namespace to which the informer is limited (empty
 * for all), and `(metadata)` for metadata-only informers.
 *
 * @see component-base metrics/prometheus/clientgo/fifo
 */
function informerMetrics(metrics: Metrics): InformerMetricsProvider {
  const queued = metrics.gauge({ name: "informer_queued_items", help: "Changes waiting to be applied", ...byInformer });
  const latency = metrics.histogram({
    name: "informer_processing_latency_seconds",
    help: "Time taken to apply changes after they were taken from the queue",
    buckets: informerBuckets,
    ...byInformer,
  });
  const version = metrics.gauge({
    name: "informer_store_resource_version",
    help: "Last 15 digits of the store's resource version",
    ...byInformer,
  });
  return ({ name: given = "", resource, namespace, isMetadataOnly }) => {
    const name = [given, namespace, isMetadataOnly ? "(metadata)" : ""].filter((part) => part !== "").join(" ");
    const labels = [name, resource.group, resource.version, resource.resource] as const;
    const storeVersion = version(...labels);
    return {
      queuedItems: queued(...labels),
      processingLatency: latency(...labels),
      storeResourceVersion: { set: (value) => storeVersion.set(value % versionLimit) },
    };
  };
}

/**
 * Creates a metric for the time since the server's last response, for each kind in a cache. Infinite before the first response. Not in
 * upstream.
 */
function cacheMetrics(metrics: Metrics, cache: Pick<InformerCache, "ages">): void {
  metrics.gauge({
    name: "kubewright_informer_age_seconds",
    help: "Time since the server's last response: an event, a bookmark or a list",
    labelNames: ["kind"],
    collect(ageOf) {
      for (const [kind, ageMs] of cache.ages) ageOf(kind).set(ageMs / 1_000);
    },
  });
}

const webhookBuckets = Array.from({ length: 12 }, (_, power) => 10 ** (power - 8));

/**
 * Creates the metrics for a webhook server.
 *
 * @see controller-runtime pkg/webhook/internal/metrics, pkg/webhook/admission/metrics, pkg/webhook/conversion/metrics
 */
function webhookMetrics(metrics: Metrics): WebhookMetrics {
  const byPath = { labelNames: ["webhook"] } as const;
  const latency = metrics.histogram({
    name: "controller_runtime_webhook_latency_seconds",
    help: "Duration of webhook calls",
    buckets: webhookBuckets,
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

const phases = ["steady", "announced", "injected", "switched"] as const;

/** Creates the metrics for served certificates. @see controller-runtime pkg/certwatcher/metrics */
function certificateMetrics(metrics: Metrics): CertWatcherMetrics & CertificateMetrics {
  const reads = metrics.counter({ name: "certwatcher_read_certificate_total", help: "Reads of certificate files" });
  const errors = metrics.counter({
    name: "certwatcher_read_certificate_errors_total",
    help: "Failed reads of certificate files; the previous certificate stays in use",
  });
  const expiry = metrics.gauge({
    name: "kubewright_webhook_certificate_expiry_timestamp_seconds",
    help: "Expiry time of the webhook certificate, in seconds since 1970",
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

/** Creates the metrics for leader election. @see component-base metrics/prometheus/clientgo/leaderelection */
function leaderMetrics(metrics: Metrics): ElectorMetrics {
  const common = { labelNames: ["name"] } as const;
  const status = metrics.gauge({
    name: "leader_election_master_status",
    help: "1 if this process is the leader, otherwise 0",
    ...common,
  });
  const slowPath = metrics.counter({
    name: "leader_election_slowpath_total",
    help: "Renewals that had to read the lock first",
    ...common,
  });
  return {
    leading: (name, leads) => status(name).set(leads ? 1 : 0),
    slowPath: (name) => slowPath(name).inc(),
  };
}

/** Creates the metrics for sharding. Every series exists from the start. */
function shardMetrics(metrics: Metrics): ShardMetrics {
  const held = metrics.gauge({ name: "kubewright_shards_held", help: "Shards that this replica holds" })();
  const moves = metrics.counter({
    name: "kubewright_shard_moves_total",
    help: "Shards that this replica acquired, released, or lost because it could not renew their Leases",
    labelNames: ["move"],
  });
  const counters = { acquired: moves("acquired"), released: moves("released"), lost: moves("lost") };
  return { held: (shards) => held.set(shards), moved: (move) => counters[move].inc() };
}
