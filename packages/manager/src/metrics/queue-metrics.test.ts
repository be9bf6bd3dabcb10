import { expect, it } from "vitest";
import { Metrics } from "./metrics.ts";
import { queueMetrics } from "./queue-metrics.ts";
import { requestMetrics } from "./request-metrics.ts";

/** The bounds of a histogram's buckets. */
const bounds = (text: string, name: string): string[] => [
  ...new Set([...text.matchAll(new RegExp(`^${name}_bucket\\{le="([^"]+)"`, "gm"))].map(([, bound = ""]) => bound)),
];

it("describe each queue by its name, as in upstream", async () => {
  const metrics = new Metrics();
  const of = queueMetrics(metrics);
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
  const few = requestMetrics(plain, false);
  few.answered(request);
  expect([few.received, few.resolved, few.retried]).toEqual([undefined, undefined, undefined]);
  expect(await plain.metrics()).toMatch(/rest_client_requests_total\{code="200",method="GET",host="h"\} 1\n$/);
  const metrics = new Metrics();
  const all = requestMetrics(metrics, true);
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
