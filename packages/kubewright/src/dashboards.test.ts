import { dashboardFiles } from "@kubewright/codegen";
import { expect, it } from "vitest";
import { controllerManagedBy, Manager, silentLogger } from "./index.ts";
import { Pod } from "./kinds.ts";
import { admission } from "./webhooks.ts";

/** Names in PromQL that no metric has: functions, labels, words and variables. */
const language =
  /^(sum|max|rate|by|histogram_quantile|time|job|namespace|controller|result|le|kind|name|priority|method|code|webhook|pod)$/;

it("writes dashboards that ask for metrics that are there, and nothing else", async () => {
  const stop = new AbortController();
  const manager = new Manager({
    connection: { server: "http://127.0.0.1:1" },
    logger: silentLogger,
    leaderElection: { id: "shop", namespace: "shop" },
    metrics: { bindAddress: "127.0.0.1:0" },
    webhooks: { disabled: true },
  });
  controllerManagedBy(manager)
    .for(Pod)
    .complete(async () => {});
  manager.webhooks.add(admission(Pod).default(() => {}));
  const run = manager.run(stop.signal);
  await expect.poll(() => manager.metricsPort).toBeDefined();
  const shown = await (await fetch(`http://127.0.0.1:${manager.metricsPort}/metrics`)).text();
  stop.abort();
  await run;
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
