import type { ProgramDescription } from "@kubewright/rbac";

/** A Prometheus alerting rule. */
export interface AlertRule {
  readonly alert: string;
  /** Condition in PromQL. */
  readonly expr: string;
  /** Time for which the condition must hold before the alert fires. If it is undefined, the alert fires immediately. */
  readonly for?: string | undefined;
  readonly labels: { readonly severity: "warning" | "critical" };
  readonly annotations: { readonly summary: string; readonly description: string; readonly runbook_url: string };
}

/**
 * Page that explains each alert and its remedy, at the address of `npx kubewright docs`. The anchor of an alert is its name in lower case.
 */
const runbooks = "http://127.0.0.1:8091/guide/alerts";

/** Label selector for the program's metrics service in any namespace, with the labels that the Prometheus operator sets. */
type Target = string;

interface Text {
  readonly summary: string;
  readonly description: string;
}

/**
 * Returns alerts for the metrics that every manager exports, and for the metrics of webhooks and leader election if the program uses these.
 * Returns an empty list if the program serves no metrics.
 *
 * @param service name of the metrics service
 */
export function alertRules(description: ProgramDescription, service: string): AlertRule[] {
  if (description.metrics.port === undefined) return [];
  const { name, leaderElection, webhooks } = description;
  const target = `{job="${service}"}`;
  const places = `${name} in {{ $labels.namespace }}`;
  return [
    down(target, name),
    ...(leaderElection ? [noLeader(target, places)] : []),
    ...reconciling(target, places),
    ...waiting(target, places),
    cacheStale(target, places),
    ...(webhooks.length > 0 ? [certificate(target, places), webhookPanics(target, places)] : []),
  ];
}

function down(target: Target, name: string): AlertRule {
  return rule("KubewrightDown", "critical", "10m", `absent(up${target}) or sum by (job) (up${target}) == 0`, {
    summary: `Prometheus cannot reach any replica of ${name}.`,
    description: "No replica is running, or Prometheus cannot reach it.",
  });
}

function noLeader(target: Target, places: string): AlertRule {
  const expr = `max by (job, namespace, name) (leader_election_master_status${target}) == 0`;
  return rule("KubewrightNoLeader", "critical", "5m", expr, {
    summary: `${places} has no leader.`,
    description: "Replicas are running, but none of them reconciles.",
  });
}

function reconciling(target: Target, places: string): AlertRule[] {
  const rate = (metric: string): string => `sum by (job, namespace, controller) (rate(${metric}${target}[10m]))`;
  const failed = rate("controller_runtime_reconcile_errors_total");
  const panics = `sum by (job, namespace, controller) (increase(controller_runtime_reconcile_panics_total${target}[15m]))`;
  const hanging = `max by (job, namespace, pod, name) (workqueue_longest_running_processor_seconds${target})`;
  return [
    rule(
      "KubewrightReconcileErrors",
      "warning",
      "15m",
      `${failed} / ${rate("controller_runtime_reconcile_total")} > 0.1`,
      {
        summary: `{{ $value | humanizePercentage }} of the reconciles of {{ $labels.controller }} (${places}) fail.`,
        description: "More than 10% have failed for 15 minutes.",
      },
    ),
    rule("KubewrightReconcilePanics", "warning", undefined, `${panics} > 0`, {
      summary: `A programming error aborted reconciles of {{ $labels.controller }} (${places}).`,
      description: "The log contains the stack trace of each.",
    }),
    rule("KubewrightReconcileHangs", "warning", "5m", `${hanging} > 600`, {
      summary: `A reconcile of {{ $labels.name }} (${places}) has been running for {{ $value | humanizeDuration }}.`,
      description: "It is waiting for something that never happens, and blocks a worker in {{ $labels.pod }}.",
    }),
  ];
}

function waiting(target: Target, places: string): AlertRule[] {
  const metric = "workqueue_queue_duration_seconds";
  const taken = (more: string, labels: string): string =>
    `sum by (job, namespace, name) (rate(${metric}_${more}${target.replace("}", `${labels}}`)}[10m]))`;
  // The format of bucket bounds depends on the version of Prometheus.
  const late = `1 - ${taken("bucket", ',le=~"10|10[.]0"')} / ${taken("count", "")} > 0.1`;
  const none = `sum by (job, namespace, name) (workqueue_depth${target}) > 0 unless ${taken("count", "")} > 0`;
  return [
    rule("KubewrightQueueWaits", "warning", "15m", `(${late}) or (${none})`, {
      summary: `Requests wait too long in the queue {{ $labels.name }} (${places}).`,
      description: "More than 10% of the requests waited longer than 10 seconds, or none are processed.",
    }),
  ];
}

function cacheStale(target: Target, places: string): AlertRule {
  const expr = `max by (job, namespace, pod, kind) (kubewright_informer_age_seconds${target}) > 120`;
  return rule("KubewrightCacheStale", "warning", "5m", expr, {
    summary: `${places} has received no updates to {{ $labels.kind }} for {{ $value | humanizeDuration }}.`,
    description: "Controllers in {{ $labels.pod }} may see outdated objects of this kind.",
  });
}

function certificate(target: Target, places: string): AlertRule {
  const ends = `min by (job, namespace, pod) (kubewright_webhook_certificate_expiry_timestamp_seconds${target} > 0)`; // 0 means that there is no certificate yet
  return rule("KubewrightWebhookCertificateEnds", "critical", "10m", `${ends} - time() < 7 * 86400`, {
    summary: `The webhook certificate of ${places} expires in {{ $value | humanizeDuration }}.`,
    description: "{{ $labels.pod }} should have renewed it long ago; once it has expired, webhook calls fail.",
  });
}

function webhookPanics(target: Target, places: string): AlertRule {
  const increase = (metric: string): string => `increase(${metric}${target}[15m])`;
  const admissions = increase("controller_runtime_webhook_panics_total");
  const conversions = increase("controller_runtime_conversion_webhook_panics_total");
  const expr = `sum by (job, namespace) (${admissions} + ${conversions}) > 0`;
  return rule("KubewrightWebhookPanics", "critical", undefined, expr, {
    summary: `A programming error made webhooks of ${places} fail.`,
    description: "API servers received status 500; the log contains the stack trace of each.",
  });
}

function rule(
  alert: string,
  severity: "warning" | "critical",
  lasting: string | undefined,
  expr: string,
  text: Text,
): AlertRule {
  return {
    alert,
    expr,
    ...(lasting === undefined ? {} : { for: lasting }),
    labels: { severity },
    annotations: { ...text, runbook_url: `${runbooks}#${alert.toLowerCase()}` },
  };
}
