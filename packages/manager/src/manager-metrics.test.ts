import { InformerCache } from "@kubewright/cache";
import { FakeListWatchClient } from "@kubewright/cache/testing";
import { ConfigMap } from "@kubewright/client/kinds";
import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { Manager } from "./manager.ts";
import { ManagerMetrics } from "./manager-metrics.ts";
import { Metrics } from "./metrics.ts";

/** The bounds of a histogram's buckets. */
const bounds = (text: string, name: string): string[] => [
  ...new Set([...text.matchAll(new RegExp(`^${name}_bucket\\{le="([^"]+)"`, "gm"))].map(([, bound = ""]) => bound)),
];

it("describe each queue by its name, as in upstream", async () => {
  const metrics = new Metrics();
  const of = new ManagerMetrics(metrics).queues;
  const [site, link] = [of("site"), of("link")];
  site.adds.inc();
  site.retries.inc();
  site.depth.inc(0);
  site.depth.inc(-100);
  site.depth.dec(-100);
  site.queueDuration.observe(1e-9);
  site.workDuration.observe(5);
  site.unfinishedWork.set(2);
  site.longestRunningProcessor.set(3);
  link.adds.inc();
  const text = await metrics.metrics();
  const labels = 'name="site",controller="site"';
  for (const line of [
    `workqueue_adds_total{${labels}} 1`,
    'workqueue_adds_total{name="link",controller="link"} 1',
    `workqueue_retries_total{${labels}} 1`,
    `workqueue_depth{${labels},priority="0"} 1`,
    `workqueue_depth{${labels},priority="-100"} 0`,
    `workqueue_queue_duration_seconds_count{${labels}} 1`,
    `workqueue_queue_duration_seconds_bucket{le="1e-8",${labels}} 1`,
    `workqueue_work_duration_seconds_sum{${labels}} 5`,
    `workqueue_unfinished_work_seconds{${labels}} 2`,
    `workqueue_longest_running_processor_seconds{${labels}} 3`,
  ])
    expect(text).toContain(`${line}\n`);
  const ofDuration = bounds(text, "workqueue_work_duration_seconds").map(Number);
  expect(ofDuration).toHaveLength(13);
  expect(ofDuration[0]).toBe(10e-9);
  expect(ofDuration.at(-2)).toBeCloseTo(1_000, 5);
});

it("count requests, and measure them in detail if configured", async () => {
  const request = { method: "GET", host: "h", code: "200", path: "/", durationMs: 20, bytes: 300 };
  const plain = new Metrics();
  const few = new ManagerMetrics(plain).requests(false);
  few.answered(request);
  expect([few.received, few.resolved, few.retried]).toEqual([undefined, undefined, undefined]);
  expect(await plain.metrics()).toMatch(/rest_client_requests_total\{code="200",method="GET",host="h"\} 1\n$/);
  const metrics = new Metrics();
  const all = new ManagerMetrics(metrics).requests(true);
  all.answered(request);
  all.received?.({ method: "GET", host: "h", bytes: 70 });
  all.resolved?.({ host: "h", durationMs: 500 });
  all.retried?.({ code: "429", method: "GET", host: "h" });
  const text = await metrics.metrics();
  for (const line of [
    'rest_client_requests_total{code="200",method="GET",host="h"} 1',
    'rest_client_request_duration_seconds_sum{verb="GET",host="h"} 0.02',
    'rest_client_request_size_bytes_sum{verb="GET",host="h"} 300',
    'rest_client_response_size_bytes_sum{verb="GET",host="h"} 70',
    'rest_client_dns_resolution_duration_seconds_sum{host="h"} 0.5',
    'rest_client_request_retries_total{code="429",verb="GET",host="h"} 1',
  ])
    expect(text).toContain(`${line}\n`);
  const seconds = ["0.005", "0.025", "0.1", "0.25", "0.5", "1", "2", "4", "8", "15", "30", "60", "+Inf"];
  const bytes = [
    "64",
    "256",
    "512",
    "1024",
    "4096",
    "16384",
    "65536",
    "262144",
    "1048576",
    "4194304",
    "16777216",
    "+Inf",
  ];
  expect(bounds(text, "rest_client_request_duration_seconds")).toEqual(seconds);
  expect(bounds(text, "rest_client_dns_resolution_duration_seconds")).toEqual(seconds);
  for (const name of ["request", "response"]) expect(bounds(text, `rest_client_${name}_size_bytes`)).toEqual(bytes);
});

const box = (name: string, namespace: string): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace },
});

it("exposes informer metrics with upstream's names, and the age of the server's last response", async () => {
  const registry = new Metrics();
  const clock = new FakeClock();
  const client = new FakeListWatchClient();
  const made = new ManagerMetrics(registry);
  const cache = new InformerCache({ client, clock, namespaces: ["web", "db"], metrics: made.informers });
  made.cache(cache);
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
  const metricsOf = new ManagerMetrics(registry).informers;
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
  expect(await ready()).toContain("the cache for v1, Kind=ConfigMap has received nothing from the server for 60001 ms");
  client.source(ConfigMap).bookmark();
  await clock.advance(0);
  expect(await ready()).toBe("ok");
  const metrics = await (await fetch(`http://127.0.0.1:${manager.metricsPort}/metrics`)).text();
  expect(metrics).toContain('kubewright_informer_age_seconds{kind="v1, Kind=ConfigMap"} 0');
  stop.abort();
  await running;
});

it("expose leadership by election name, and the number of renewals that read the lock first", async () => {
  const metrics = new Metrics();
  const { leading, slowPath } = new ManagerMetrics(metrics).leader();
  leading("a", true);
  leading("b", true);
  leading("b", false);
  slowPath("a");
  slowPath("a");
  const text = await metrics.metrics();
  expect(text).toContain('leader_election_master_status{name="a"} 1\nleader_election_master_status{name="b"} 0\n');
  expect(text).toContain('leader_election_slowpath_total{name="a"} 2\n');
});

it("expose the number of shards, and their moves, from the start", async () => {
  const metrics = new Metrics();
  const { held, moved } = new ManagerMetrics(metrics).shards();
  held(3);
  moved("acquired");
  moved("acquired");
  moved("lost");
  const text = await metrics.metrics();
  expect(text).toContain("kubewright_shards_held 3\n");
  const moves = ["acquired", "released", "lost"].map(
    (move) => text.match(`kubewright_shard_moves_total{move="${move}"} (.)`)?.[1],
  );
  expect(moves).toEqual(["2", "0", "1"]);
});
