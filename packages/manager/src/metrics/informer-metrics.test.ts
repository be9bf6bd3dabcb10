import { InformerCache } from "@kubewright/cache";
import { FakeListWatchClient } from "@kubewright/cache/testing";
import { ConfigMap } from "@kubewright/client/kinds";
import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { Manager } from "../manager.ts";
import { freshnessMetrics, informerMetrics } from "./informer-metrics.ts";
import { Metrics } from "./metrics.ts";

const box = (name: string, namespace: string): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace },
});

it("exposes informer metrics with upstream's names, and the age of the server's last response", async () => {
  const registry = new Metrics();
  const clock = new FakeClock();
  const client = new FakeListWatchClient();
  const cache = new InformerCache({ client, clock, namespaces: ["web", "db"], metrics: informerMetrics(registry) });
  freshnessMetrics(registry, cache);
  client.source(ConfigMap).add(box("a", "web"));
  const stop = new AbortController();
  const running = cache.run(stop.signal);
  expect(await cache.list(ConfigMap)).toHaveLength(1);
  client.source(ConfigMap).add(box("b", "web"));
  await clock.advance(2_000);

  const text = await registry.metrics();
  const labels = (name: string) => `{name="${name}",group="",version="v1",resource="configmaps"}`;
  expect(text).toContain(`informer_queued_items${labels("web")} 0`);
  expect(text).toContain(`informer_store_resource_version${labels("web")} 2`);
  expect(text).toContain(`informer_store_resource_version${labels("db")}`);
  expect(text).toMatch(/informer_processing_latency_seconds_count\{name="web",.*\} 2/);
  const bounds = [...text.matchAll(/^informer_processing_latency_seconds_bucket\{le="([^"]+)",name="web"/gm)];
  const wanted = ["0.001", "0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1", "2.5", "5", "10", "+Inf"];
  expect(bounds.map(([, bound]) => bound)).toEqual(wanted);
  expect(text).toContain('kubewright_informer_age_seconds{kind="v1, Kind=ConfigMap"} 2');
  stop.abort();
  await running;
});

it("distinguishes informers of one resource", () => {
  const registry = new Metrics();
  const metricsOf = informerMetrics(registry);
  const resource = { group: "apps", version: "v1", resource: "deployments" };
  metricsOf({ resource, namespace: "", isMetadataOnly: false })?.queuedItems.set(1);
  metricsOf({ resource, namespace: "web", isMetadataOnly: true })?.storeResourceVersion.set(
    Number("12345678901234567"),
  );

  return expect(registry.metrics()).resolves.toSatisfy(
    (text: string) =>
      text.includes('informer_queued_items{name="",group="apps",version="v1",resource="deployments"} 1') &&
      text.includes(
        'informer_store_resource_version{name="web (metadata)",group="apps",version="v1",resource="deployments"} 345678901234',
      ),
  );
});

it("makes a manager ready only while it receives events of its cached kinds, if configured", async () => {
  const clock = new FakeClock();
  const client = new FakeListWatchClient();
  const cache = new InformerCache({ client, clock });
  cache.getInformer(ConfigMap);
  const manager = new Manager({
    connection: { server: "http://127.0.0.1:1" },
    cache,
    clock,
    metrics: { bindAddress: "127.0.0.1:0" },
    health: { bindAddress: "127.0.0.1:0", informers: { maxAgeMs: 60_000 } },
  });
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  await manager.elected;
  const ready = async (): Promise<string> =>
    (await fetch(`http://127.0.0.1:${manager.healthPort}/readyz/informers`)).text();
  expect(await ready()).toBe("ok");
  await clock.advance(60_001);
  expect(await ready()).toContain("the cache of v1, Kind=ConfigMap has received nothing from the server for 60001 ms");
  client.source(ConfigMap).bookmark();
  await clock.advance(0);
  expect(await ready()).toBe("ok");
  const metrics = await (await fetch(`http://127.0.0.1:${manager.metricsPort}/metrics`)).text();
  expect(metrics).toContain('kubewright_informer_age_seconds{kind="v1, Kind=ConfigMap"} 0');
  stop.abort();
  await running;
});
