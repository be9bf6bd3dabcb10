import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { expect, it } from "vitest";
import { counter, gauge, histogram } from "./series.ts";

const buckets = [0.1, 1, 10];
const labelNames = ["name", "result"];

it("is served as prom-client serves its own", async () => {
  const [ours, theirs] = [new Registry(), new Registry()];
  const [counted, gauged, observed] = [
    counter({ name: "c_total", help: "counts", labelNames, registers: [ours] }),
    gauge({ name: "g", help: "goes up and down", labelNames, registers: [ours] }),
    histogram({ name: "h_seconds", help: "spreads", labelNames, buckets, registers: [ours] }),
  ];
  const [theirCounter, theirGauge, theirHistogram] = [
    new Counter({ name: "c_total", help: "counts", labelNames, registers: [theirs] }),
    new Gauge({ name: "g", help: "goes up and down", labelNames, registers: [theirs] }),
    new Histogram({ name: "h_seconds", help: "spreads", labelNames, buckets, registers: [theirs] }),
  ];
  for (const [index, value] of [0.05, 0.1, 5, 50].entries()) {
    const labels = ["a", index % 2 === 0 ? "even" : "odd"] as const;
    counted(...labels).inc();
    theirCounter.labels(...labels).inc();
    gauged(...labels).set(value);
    gauged(...labels).dec();
    theirGauge.labels(...labels).set(value);
    theirGauge.labels(...labels).dec();
    observed(...labels).observe(value);
    theirHistogram.labels(...labels).observe(value);
  }

  expect(await ours.metrics()).toBe(await theirs.metrics());
  expect(await ours.metrics()).toBe(await theirs.metrics());
  const json = async (registry: Registry): Promise<unknown> =>
    JSON.parse(
      JSON.stringify(await registry.getMetricsAsJSON(), (key, value) => (key === "exemplar" ? undefined : value)),
    );
  expect(await json(ours)).toEqual(await json(theirs));
});

it("gives the same series for the same labels", () => {
  const counted = counter({ name: "c_total", help: "counts", labelNames, registers: [] });
  counted("a", "b").inc();
  expect(counted("a", "b").value).toBe(1);
  expect(counted("a,b", "").value).toBe(0);
});
