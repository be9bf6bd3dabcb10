import { Counter, collectDefaultMetrics, Gauge, Histogram, type HistogramConfiguration, Registry } from "prom-client";

// The only module that needs prom-client. It is loaded with the first request for the metrics.

/** A metric with its series. */
export type Metric = MetricNames &
  (
    | {
        readonly type: "counter" | "gauge";
        readonly series: AllSeries<{ readonly value: number }>;
        readonly collect?: (() => void) | undefined;
      }
    | { readonly type: "histogram"; readonly series: AllSeries<HistogramValues>; readonly buckets: readonly number[] }
  );

/** Name, description and label names of a metric. */
export interface MetricNames {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
}

interface AllSeries<S> {
  all(): Iterable<{ readonly labels: Record<string, string>; readonly series: S }>;
}

interface HistogramValues {
  /** Number of observations in each bucket, excluding those in smaller buckets. */
  readonly counts: readonly number[];
  readonly sum: number;
}

/** Creates a registry. With `ofProcess`, it contains the metrics for the process and the JavaScript engine. */
export function newRegistry(ofProcess: boolean): Registry {
  const registry = new Registry();
  if (ofProcess) exposeProcess(registry);
  return registry;
}

let processMetrics: Registry | undefined;

/**
 * Adds the process's own metrics to a registry. All registries share one collection, because a collection never ends: one per registry
 * would retain the registry, and everything its metrics refer to, in memory forever.
 */
function exposeProcess(registry: Registry): void {
  if (!processMetrics) {
    processMetrics = new Registry();
    collectDefaultMetrics({ register: processMetrics });
  }
  for (const { name } of processMetrics.getMetricsAsArray()) {
    const metric = processMetrics.getSingleMetric(name);
    if (metric) registry.registerMetric(metric);
  }
}

/** Adds a metric to a registry, whose output then includes the metric's values. */
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
      new HistogramOfSeries({ ...config, buckets: [...metric.buckets] }, metric.buckets, metric.series);
  }
}

type PromValues = Awaited<ReturnType<Histogram<string>["get"]>>;

/** A histogram that returns the values of series stored outside it. */
class HistogramOfSeries extends Histogram<string> {
  readonly #name: string;
  readonly #bounds: readonly number[];
  readonly #series: AllSeries<HistogramValues>;
  /** Provides the other fields of prom-client's histograms. */
  readonly #empty: Histogram<string>;

  constructor(config: HistogramConfiguration<string>, bounds: readonly number[], series: AllSeries<HistogramValues>) {
    super(config);
    this.#name = config.name;
    this.#bounds = bounds;
    this.#series = series;
    this.#empty = new Histogram({ ...config, registers: [] });
  }

  override async get(): Promise<PromValues> {
    const values: PromValues["values"] = [];
    for (const { labels, series } of this.#series.all()) {
      let count = 0;
      for (const [index, inBucket] of series.counts.entries()) {
        count += inBucket;
        values.push({
          metricName: `${this.#name}_bucket`,
          labels: { le: this.#bounds[index] ?? "+Inf", ...labels },
          value: count,
        });
      }
      values.push({ metricName: `${this.#name}_sum`, labels, value: series.sum });
      values.push({ metricName: `${this.#name}_count`, labels, value: count });
    }
    return { ...(await this.#empty.get()), values };
  }

  /** Called by prom-client for the text format. */
  getForPromString(): Promise<PromValues> {
    return this.get();
  }
}
