import type { GeneratedFile } from "../kinds/kind-files.ts";
import { type DashboardModel, dashboardText, type Panel } from "./panel.ts";

const where = '{job=~"$job",namespace=~"$namespace"}';
const rate = (metric: string): string => `rate(${metric}${where}[5m])`;
const byController = (metric: string): string => `sum by (controller) (${rate(metric)})`;
const quantile = (q: number, metric: string, by: string): string =>
  `histogram_quantile(${q}, sum by (${by}, le) (${rate(`${metric}_bucket`)}))`;

const panel = (title: string, unit: string, description: string, queries: Panel["queries"]): Panel => ({
  title,
  unit,
  description,
  queries,
});

const controllers: DashboardModel = {
  title: "Controllers",
  uid: "kubewright-controllers",
  rows: {
    Reconciling: [
      panel("Reconciles", "ops", "Number of finished reconciles, by result.", {
        "{{controller}} {{result}}": `sum by (controller, result) (${rate("controller_runtime_reconcile_total")})`,
      }),
      panel("Errors", "ops", "Failed reconciles. Terminal errors, which are not retried, are shown separately.", {
        "{{controller}}": byController("controller_runtime_reconcile_errors_total"),
        "{{controller}} terminal": byController("controller_runtime_terminal_reconcile_errors_total"),
      }),
      panel("Duration", "s", "Median and 99th percentile.", {
        "{{controller}} p50": quantile(0.5, "controller_runtime_reconcile_time_seconds", "controller"),
        "{{controller}} p99": quantile(0.99, "controller_runtime_reconcile_time_seconds", "controller"),
      }),
      panel("Workers in use", "percentunit", "At 100%, requests wait for a worker.", {
        "{{controller}}": `sum by (controller) (controller_runtime_active_workers${where}) / sum by (controller) (controller_runtime_max_concurrent_reconciles${where})`,
      }),
    ],
    Queues: [
      panel("Depth", "short", "Waiting requests.", { "{{name}}": `sum by (name) (workqueue_depth${where})` }),
      panel("Additions and retries", "ops", "Added requests, and how many of them are retries.", {
        "{{name}}": `sum by (name) (${rate("workqueue_adds_total")})`,
        "{{name}} retries": `sum by (name) (${rate("workqueue_retries_total")})`,
      }),
      panel("Time in the queue", "s", "Median and 99th percentile of waiting time.", {
        "{{name}} p50": quantile(0.5, "workqueue_queue_duration_seconds", "name"),
        "{{name}} p99": quantile(0.99, "workqueue_queue_duration_seconds", "name"),
      }),
      panel("Unfinished work", "s", "Duration of running reconciles so far; grows if one hangs.", {
        "{{name}}": `sum by (name) (workqueue_unfinished_work_seconds${where})`,
      }),
    ],
  },
};

const resources: DashboardModel = {
  title: "Controllers: resources",
  uid: "kubewright-resources",
  rows: {
    Process: [
      panel("CPU", "short", "CPU cores in use.", { "{{pod}}": rate("process_cpu_seconds_total") }),
      panel("Memory", "bytes", "Resident memory of the process.", {
        "{{pod}}": `process_resident_memory_bytes${where}`,
      }),
    ],
    "API server": [
      panel("Requests", "ops", "Requests by method and status code.", {
        "{{method}} {{code}}": `sum by (method, code) (${rate("rest_client_requests_total")})`,
      }),
    ],
  },
};

const own: DashboardModel = {
  title: "Controllers: freshness and certificates",
  uid: "kubewright-freshness",
  rows: {
    "What controllers see": [
      panel("Age of the cache", "s", "Time since the last update of a kind. More than two minutes is too long.", {
        "{{kind}}": `max by (kind) (kubewright_informer_age_seconds${where})`,
      }),
      panel(
        "Priority of waiting requests",
        "short",
        "Requests by priority: initial objects wait behind changed ones.",
        {
          "{{name}} {{priority}}": `sum by (name, priority) (workqueue_depth${where})`,
        },
      ),
      panel("Held keys", "ops", "Requests that waited until the cache contained the program's own writes.", {
        "{{controller}}": byController("kubewright_reconcile_held_total"),
      }),
      panel("Live reads", "ops", "Reads that bypassed the cache because it did not contain a write in time.", {
        "{{controller}}": byController("kubewright_reconcile_live_reads_total"),
      }),
    ],
    "Webhooks and leadership": [
      panel("Requests", "ops", "Requests by path and status code.", {
        "{{webhook}} {{code}}": `sum by (webhook, code) (${rate("controller_runtime_webhook_requests_total")})`,
      }),
      panel("Latency", "s", "99th percentile.", {
        "{{webhook}} p99": quantile(0.99, "controller_runtime_webhook_latency_seconds", "webhook"),
      }),
      panel("Certificate", "s", "Time until the served certificate expires.", {
        "{{pod}}": `kubewright_webhook_certificate_expiry_timestamp_seconds${where} - time()`,
      }),
      panel("Leader", "short", "1 for the leader, otherwise 0.", {
        "{{pod}} {{name}}": `leader_election_master_status${where}`,
      }),
    ],
  },
};

/**
 * Returns Grafana dashboards, with paths relative to the `grafana` folder. Two of them, for controllers and their
 * resource usage, have the same file names as in kubebuilder; the third shows metrics that only Kubewright's
 * controllers have.
 */
export const dashboardFiles = (): GeneratedFile[] => [
  { path: "controller-runtime-metrics.json", text: dashboardText(controllers) },
  { path: "controller-resources-metrics.json", text: dashboardText(resources) },
  { path: "kubewright-metrics.json", text: dashboardText(own) },
];
