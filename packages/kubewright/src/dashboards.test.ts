import { dashboardFiles, kustomizeFiles } from "@kubewright/codegen";
import { Environment } from "@kubewright/envtest";
import { expect, it } from "vitest";
import { controllerManagedBy, Manager, type ManagerOptions, silentLogger } from "./index.ts";
import { Namespace, Pod } from "./kinds.ts";
import { admission } from "./webhooks.ts";

/** Names in PromQL that are not metrics: functions, labels, keywords and variables. */
const language =
  /^(sum|max|rate|by|histogram_quantile|time|job|namespace|controller|result|le|kind|name|priority|method|code|webhook|pod)$/;

/** Metrics of a manager with a controller and a webhook. */
async function exposition(connection: ManagerOptions["connection"], until = /^# TYPE/m): Promise<string> {
  const stop = new AbortController();
  const manager = new Manager({
    connection,
    logger: silentLogger,
    leaderElection: { id: "shop", namespace: "default" },
    metrics: { bindAddress: "127.0.0.1:0" },
    webhooks: { disabled: true },
  });
  controllerManagedBy(manager)
    .for(Namespace)
    .complete(async () => {});
  manager.webhooks.add(admission(Pod).default(() => {}));
  manager.metrics.counter({ name: "shop_orders_total", help: "Orders" })().inc();
  manager.metrics.histogram({ name: "shop_packing_seconds", help: "How long packing takes" })().observe(1);
  const run = manager.run(stop.signal);
  await expect.poll(() => manager.metricsPort).toBeDefined();
  const shown = async (): Promise<string> => (await fetch(`http://127.0.0.1:${manager.metricsPort}/metrics`)).text();
  await expect.poll(shown).toMatch(until);
  const text = await shown();
  stop.abort();
  await run;
  return text;
}

it("generates dashboards that query only existing metrics", async () => {
  const shown = await exposition({ server: "http://127.0.0.1:1" });
  const exported = new Set(Array.from(shown.matchAll(/^# TYPE (\S+)/gm), ([, name]) => name));

  const files = dashboardFiles();
  expect(files.map(({ path }) => path)).toEqual([
    "controller-runtime-metrics.json",
    "controller-resources-metrics.json",
    "kubewright-metrics.json",
  ]);
  const asked = files.flatMap(({ text }) => {
    const { panels } = JSON.parse(text) as { panels: { targets?: { expr: string }[] }[] };
    return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr.replaceAll(/\{[^}]*\}|\[5m\]/g, "")));
  });
  expect(asked.length).toBeGreaterThan(20);
  const names = asked.flatMap((expr) => Array.from(expr.matchAll(/[a-z_]+/g), ([name]) => name));
  const unknown = names.filter((name) => !language.test(name) && !exported.has(name.replace(/_bucket$/, "")));
  expect(new Set(unknown)).toEqual(new Set());
});

it("generates alerts that query only existing metrics and labels", async () => {
  const program = new Manager({
    name: "shop",
    connection: { server: "http://127.0.0.1:1" },
    logger: silentLogger,
    leaderElection: { id: "shop", namespace: "default" },
  });
  program.webhooks.add(admission(Pod).default(() => {}));
  const rules = kustomizeFiles(program.describe()).find(({ path }) => path === "prometheus/rules.yaml")?.text ?? "";
  const asked = new Set(Array.from(rules.matchAll(/(\w+)\{(job="[^}]*)\}/g), ([, name = ""]) => name));
  asked.delete("up"); // a metric of Prometheus itself
  expect(asked).toContain("kubewright_informer_age_seconds");
  const env = await Environment.start();
  const reconciled = /^controller_runtime_reconcile_total{controller="namespace",result="success"} [1-9]/m;
  const lines = (await exposition(env.connection(), reconciled).finally(() => env.stop())).split("\n");
  const labelsOf = (name: string): readonly string[] =>
    /^workqueue/.test(name)
      ? ["name"]
      : /^controller_runtime_(?:reconcile|terminal)/.test(name)
        ? ["controller"]
        : name === "kubewright_informer_age_seconds"
          ? ["kind"]
          : [];
  const missing = [...asked].filter((name) => {
    const series = lines.filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
    const isLabelled = (line: string): boolean =>
      labelsOf(name).every((label) => new RegExp(`[{,]${label}="`).test(line));
    return series.length === 0 || !series.every(isLabelled);
  });
  expect(missing).toEqual([]);
  // Without a certificate, no alert may report one that expired in 1970.
  expect(lines).toContain("kubewright_webhook_certificate_expiry_timestamp_seconds 0");
  expect(lines).toContainEqual(expect.stringMatching(/^workqueue_queue_duration_seconds_bucket\{le="10",/));
}, 60_000);

/**
 * Metrics of kubebuilder's dashboards: those of its plugin `grafana/v1-alpha` (controller-runtime-metrics.json,
 * controller-resources-metrics.json), and custom-metrics-dashboard.json for custom metrics. Prometheus adds `job`, `namespace`, `pod` and
 * `instance`.
 */
const kubebuilders: readonly (readonly [metric: string, labels: readonly string[]])[] = [
  ["controller_runtime_reconcile_total", ["controller", "result"]],
  ["controller_runtime_reconcile_errors_total", ["controller"]],
  ["controller_runtime_active_workers", ["controller"]],
  ["process_cpu_seconds_total", []],
  ["process_resident_memory_bytes", []],
  ["workqueue_adds_total", ["name"]],
  ["workqueue_depth", ["name"]],
  ["workqueue_queue_duration_seconds_bucket", ["name", "le"]],
  ["workqueue_retries_total", ["name"]],
  ["workqueue_unfinished_work_seconds", ["name"]],
  ["workqueue_work_duration_seconds_bucket", ["name", "le"]],
  ["shop_orders_total", []],
  ["shop_packing_seconds_bucket", ["le"]],
];

it("exports the metrics and labels of kubebuilder's dashboards", async () => {
  const env = await Environment.start();
  const reconciled = /^controller_runtime_reconcile_total{controller="namespace",result="success"} [1-9]/m;
  const lines = (await exposition(env.connection(), reconciled).finally(() => env.stop())).split("\n");
  const missing = kubebuilders.filter(([metric, labels]) => {
    const series = lines.filter((line) => line.startsWith(`${metric}{`) || line.startsWith(`${metric} `));
    const isLabelled = (line: string): boolean => labels.every((label) => new RegExp(`[{,]${label}="`).test(line));
    return series.length === 0 || !series.every(isLabelled);
  });
  expect(missing).toEqual([]);
});
