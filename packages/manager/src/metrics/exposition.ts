import { Counter, Gauge, type Registry } from "prom-client";
import { KeptHistogram } from "./kept-histogram.ts";
import type { Metric } from "./metric.ts";

// The only module that needs prom-client, which is loaded with the first request for the metrics.

/** Registers a metric, so that the registry returns its values. */
export function expose(metric: Metric, registry: Registry): void {
  const { name, help, labelNames } = metric;
  const config = { name, help, labelNames, registers: [registry] };
  switch (metric.type) {
    case "counter":
      new Counter({
        ...config,
        collect() {
          metric.collect?.();
          this.reset();
          for (const { labels, series } of metric.series.all()) this.inc(labels, series.value);
        },
      });
      return;
    case "gauge":
      new Gauge({
        ...config,
        collect() {
          metric.collect?.();
          this.reset();
          for (const { labels, series } of metric.series.all()) this.set(labels, series.value);
        },
      });
      return;
    case "histogram":
      new KeptHistogram({ ...config, buckets: [...metric.buckets] }, metric.buckets, metric.series);
  }
}
