import type { ProgramDescription } from "../description/program-description.ts";

/** An alert, as Prometheus' rules have it. */
export interface AlertRule {
  readonly alert: string;
  /** PromQL. */
  readonly expr: string;
  /** How long it is to be so before it is told. Absent: at once. */
  readonly for?: string;
  readonly labels: { readonly severity: "warning" | "critical" };
  readonly annotations: { readonly summary: string; readonly description: string; readonly runbook_url: string };
}

/** What each alert means and what to do. Headings of one word are anchors in small letters. */
const runbooks = "docs/guide/alerts.md";

/** Who is asked: what Prometheus' operator calls the targets of the program's service, in whichever namespace it is. */
type Target = string;

interface Text {
  readonly summary: string;
  readonly description: string;
}

/**
 * Alerts of what every program tells of itself, over metrics that its manager has in any case; of webhooks and of an election where it has
 * them. None if no metrics are served.
 *
 * @param service the name of the service that metrics are read from
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
    summary: `No replica of ${name} answers Prometheus.`,
    description: "None runs, or Prometheus does not reach it.",
  });
}

function noLeader(target: Target, places: string): AlertRule {
  const expr = `max by (job, namespace, name) (leader_election_master_status${target}) == 0`;
  return rule("KubewrightNoLeader", "critical", "5m", expr, {
    summary: `No replica of ${places} leads.`,
    description: "Replicas run, and none of them reconciles.",
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
        description: "More than a tenth of them has failed for a quarter of an hour.",
      },
    ),
    rule("KubewrightReconcilePanics", "warning", undefined, `${panics} > 0`, {
      summary: `A mistake in the program ended reconciles of {{ $labels.controller }} (${places}).`,
      description: "The log has the stack of each.",
    }),
    rule("KubewrightReconcileHangs", "warning", "5m", `${hanging} > 600`, {
      summary: `A reconcile of {{ $labels.name }} (${places}) has run for {{ $value | humanizeDuration }}.`,
      description: "It waits for something that does not come, and holds a worker of {{ $labels.pod }} meanwhile.",
    }),
  ];
}

function waiting(target: Target, places: string): AlertRule[] {
  const metric = "workqueue_queue_duration_seconds";
  const taken = (more: string, labels: string): string =>
    `sum by (job, namespace, name) (rate(${metric}_${more}${target.replace("}", `${labels}}`)}[10m]))`;
  // Prometheus writes bounds in one way or the other, as its version is.
  const late = `1 - ${taken("bucket", ',le=~"10|10[.]0"')} / ${taken("count", "")} > 0.1`;
  const none = `sum by (job, namespace, name) (workqueue_depth${target}) > 0 unless ${taken("count", "")} > 0`;
  return [
    rule("KubewrightQueueWaits", "warning", "15m", `(${late}) or (${none})`, {
      summary: `Requests wait long in the queue {{ $labels.name }} (${places}).`,
      description: "More than a tenth of them waited longer than ten seconds, or none is taken at all.",
    }),
  ];
}

function cacheStale(target: Target, places: string): AlertRule {
  const expr = `max by (job, namespace, pod, kind) (kubewright_informer_age_seconds${target}) > 120`;
  return rule("KubewrightCacheStale", "warning", "5m", expr, {
    summary: `${places} has heard nothing of {{ $labels.kind }} for {{ $value | humanizeDuration }}.`,
    description: "What controllers of {{ $labels.pod }} see of that kind may be old.",
  });
}

function certificate(target: Target, places: string): AlertRule {
  const ends = `min by (job, namespace, pod) (kubewright_webhook_certificate_expiry_timestamp_seconds${target} > 0)`; // 0: none yet
  return rule("KubewrightWebhookCertificateEnds", "critical", "10m", `${ends} - time() < 7 * 86400`, {
    summary: `The webhook certificate of ${places} ends in {{ $value | humanizeDuration }}.`,
    description: "{{ $labels.pod }} should have had another one long since; once it has ended, API servers refuse it.",
  });
}

function webhookPanics(target: Target, places: string): AlertRule {
  const increase = (metric: string): string => `increase(${metric}${target}[15m])`;
  const admissions = increase("controller_runtime_webhook_panics_total");
  const conversions = increase("controller_runtime_conversion_webhook_panics_total");
  const expr = `sum by (job, namespace) (${admissions} + ${conversions}) > 0`;
  return rule("KubewrightWebhookPanics", "critical", undefined, expr, {
    summary: `A mistake in the program made webhooks of ${places} fail.`,
    description: "Requests of API servers were answered with 500; the log has the stack of each.",
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
