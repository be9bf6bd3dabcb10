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
      panel("Reconciles", "ops", "How many end, by how they end.", {
        "{{controller}} {{result}}": `sum by (controller, result) (${rate("controller_runtime_reconcile_total")})`,
      }),
      panel("Errors", "ops", "Reconciles that failed; those that are not tried again apart.", {
        "{{controller}}": byController("controller_runtime_reconcile_errors_total"),
        "{{controller}} terminal": byController("controller_runtime_terminal_reconcile_errors_total"),
      }),
      panel("Duration", "s", "How long half, and all but one of a hundred, take.", {
        "{{controller}} p50": quantile(0.5, "controller_runtime_reconcile_time_seconds", "controller"),
        "{{controller}} p99": quantile(0.99, "controller_runtime_reconcile_time_seconds", "controller"),
      }),
      panel("Workers in use", "percentunit", "At 100 % requests wait for a worker.", {
        "{{controller}}": `sum by (controller) (controller_runtime_active_workers${where}) / sum by (controller) (controller_runtime_max_concurrent_reconciles${where})`,
      }),
    ],
    Queues: [
      panel("Depth", "short", "Requests that wait.", { "{{name}}": `sum by (name) (workqueue_depth${where})` }),
      panel("Additions and retries", "ops", "What comes in, and how much of it comes again.", {
        "{{name}}": `sum by (name) (${rate("workqueue_adds_total")})`,
        "{{name}} retries": `sum by (name) (${rate("workqueue_retries_total")})`,
      }),
      panel("Time in the queue", "s", "How long half, and all but one of a hundred, wait.", {
        "{{name}} p50": quantile(0.5, "workqueue_queue_duration_seconds", "name"),
        "{{name}} p99": quantile(0.99, "workqueue_queue_duration_seconds", "name"),
      }),
      panel("Unfinished work", "s", "Time that work under way has taken so far: what is stuck grows.", {
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
      panel("CPU", "short", "Seconds of a core in a second.", { "{{pod}}": rate("process_cpu_seconds_total") }),
      panel("Memory", "bytes", "What the process holds.", { "{{pod}}": `process_resident_memory_bytes${where}` }),
    ],
    "API server": [
      panel("Requests", "ops", "By method and answer.", {
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
      panel("Age of the cache", "s", "Since a kind was last heard of. More than two minutes is too much.", {
        "{{kind}}": `max by (kind) (kubewright_informer_age_seconds${where})`,
      }),
      panel(
        "Urgency of what waits",
        "short",
        "Requests by priority: what was there at the start waits behind what changed.",
        {
          "{{name}} {{priority}}": `sum by (name, priority) (workqueue_depth${where})`,
        },
      ),
      panel("Held keys", "ops", "Requests that waited until the cache showed their own writes.", {
        "{{controller}}": byController("kubewright_reconcile_held_total"),
      }),
      panel("Live reads", "ops", "Reads past the cache, because it did not show a write in time.", {
        "{{controller}}": byController("kubewright_reconcile_live_reads_total"),
      }),
    ],
    "Webhooks and leadership": [
      panel("Requests", "ops", "By path and answer.", {
        "{{webhook}} {{code}}": `sum by (webhook, code) (${rate("controller_runtime_webhook_requests_total")})`,
      }),
      panel("Latency", "s", "All but one of a hundred are quicker.", {
        "{{webhook}} p99": quantile(0.99, "controller_runtime_webhook_latency_seconds", "webhook"),
      }),
      panel("Certificate", "s", "Until the certificate that is served expires.", {
        "{{pod}}": `kubewright_webhook_certificate_expiry_timestamp_seconds${where} - time()`,
      }),
      panel("Leader", "short", "1 is who leads.", { "{{pod}} {{name}}": `leader_election_master_status${where}` }),
    ],
  },
};

/**
 * Dashboards for Grafana, relative to the folder `grafana`: controllers and their resources under kubebuilder's names, and one of what only
 * these controllers tell.
 */
export const dashboardFiles = (): GeneratedFile[] => [
  { path: "controller-runtime-metrics.json", text: dashboardText(controllers) },
  { path: "controller-resources-metrics.json", text: dashboardText(resources) },
  { path: "kubewright-metrics.json", text: dashboardText(own) },
];
