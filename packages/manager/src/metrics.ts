import type { Registry } from "prom-client";
import type { Metric, MetricNames } from "./metrics-exposition.ts";

/** Options common to all metrics. Creating a metric with a name that is not valid in Prometheus throws an error. */
export interface MetricOptions<L extends readonly string[] = readonly string[]> {
  /** Unique name in Prometheus format, such as `shop_orders_shipped_total`. */
  readonly name: string;
  /** Description of the metric, in one sentence. */
  readonly help: string;
  /** Names of the labels. Default: none. */
  readonly labelNames?: L | undefined;
}

/** Options for a counter, a number that only increases. By convention, its name ends in `_total`. */
export interface CounterOptions<L extends readonly string[] = readonly string[]> extends MetricOptions<L> {
  /**
   * Called for each request for the metrics, after all series have been cleared. The function must add all current
   * values. Use it for counts that are stored elsewhere and whose series may end. Default: values are kept.
   */
  readonly collect?: ((of: SeriesOf<CounterSeries, L>) => void) | undefined;
}

/** Options for a gauge, a number that increases and decreases, such as a current quantity. */
export interface GaugeOptions<L extends readonly string[] = readonly string[]> extends MetricOptions<L> {
  /**
   * Called for each request for the metrics, after all series have been cleared. The function must set all current
   * values. Default: values are kept.
   */
  readonly collect?: ((of: SeriesOf<GaugeSeries, L>) => void) | undefined;
}

/** Options for a histogram, which counts observations in buckets and records their sum and count. */
export interface HistogramOptions<L extends readonly string[] = readonly string[]> extends MetricOptions<L> {
  /** Upper bounds in ascending order. An unlimited bucket is added. Default: 5 ms to 10 s, in seconds. */
  readonly buckets?: readonly number[] | undefined;
}

const defaultBuckets: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * A program's metrics, served at `/metrics`. A metric is a function that returns the series for the given label values.
 * Look up a series once and keep it; updating it is then just an addition:
 *
 * ```ts
 * const shipped = manager.metrics.counter({
 *   name: "shop_shipped_total",
 *   help: "Shipped orders",
 *   labelNames: ["region"],
 * });
 * shipped("eu").inc();
 * ```
 *
 * prom-client, which generates the text format, is loaded when the metrics are first requested.
 */
export class Metrics {
  readonly #metrics = new Map<string, Metric>();
  #toExpose: Metric[] = [];
  readonly #ofProcess: boolean;
  #registry: Registry | undefined;

  /**
   * @param options with `ofProcess`, the metrics of the process (`process_*`, as in upstream) and the JavaScript engine (`nodejs_*`) are
   *   included. Default false.
   */
  constructor(options: { readonly ofProcess?: boolean | undefined } = {}) {
    this.#ofProcess = options.ofProcess ?? false;
  }

  /** Creates a counter. @throws {Error} if the name is in use, or a name is not valid in Prometheus */
  counter<const L extends readonly string[] = readonly []>(options: CounterOptions<L>): SeriesOf<CounterSeries, L> {
    const named = this.#named(options);
    const series = new SeriesByLabels(named.labelNames, () => new CounterSeries());
    const of: SeriesOf<CounterSeries, L> = (...values) => series.get(values);
    const { collect } = options;
    const refresh = (): void => {
      series.clear();
      collect?.(of);
    };
    this.#add({ ...named, type: "counter", series, ...(collect ? { collect: refresh } : {}) });
    return of;
  }

  /** Creates a gauge. @throws {Error} if the name is in use, or a name is not valid in Prometheus */
  gauge<const L extends readonly string[] = readonly []>(options: GaugeOptions<L>): SeriesOf<GaugeSeries, L> {
    const named = this.#named(options);
    const series = new SeriesByLabels(named.labelNames, () => new GaugeSeries());
    const of: SeriesOf<GaugeSeries, L> = (...values) => series.get(values);
    const { collect } = options;
    const refresh = (): void => {
      series.clear();
      collect?.(of);
    };
    this.#add({ ...named, type: "gauge", series, ...(collect ? { collect: refresh } : {}) });
    return of;
  }

  /**
   * Creates a histogram.
   *
   * @throws {Error} if the name is in use, a name is not valid in Prometheus, or the buckets are not in ascending order
   */
  histogram<const L extends readonly string[] = readonly []>(
    options: HistogramOptions<L>,
  ): SeriesOf<HistogramSeries, L> {
    const named = this.#named(options);
    const { buckets = defaultBuckets } = options;
    if (buckets.some((bound, index) => !(bound > (buckets[index - 1] ?? Number.NEGATIVE_INFINITY))))
      throw new Error(`the buckets of the metric ${named.name} must be in ascending order, got ${buckets.join(", ")}`);
    const series = new SeriesByLabels(named.labelNames, () => new HistogramSeries(buckets));
    this.#add({ ...named, type: "histogram", series, buckets });
    return (...values) => series.get(values);
  }

  /** Returns the metrics in Prometheus's text format. */
  async metrics(): Promise<string> {
    return (await this.registry()).metrics();
  }

  /** Returns prom-client's registry of all metrics, for metrics that are created with prom-client itself. */
  async registry(): Promise<Registry> {
    const { expose, newRegistry } = await import("./metrics-exposition.ts");
    this.#registry ??= newRegistry(this.#ofProcess);
    for (const metric of this.#toExpose.splice(0)) expose(metric, this.#registry);
    return this.#registry;
  }

  #named({ name, help, labelNames = [] as never }: MetricOptions): MetricNames {
    if (!/^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(name)) throw new Error(`"${name}" is not a valid metric name`);
    const wrong = labelNames.find((label) => !/^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/.test(label));
    if (wrong !== undefined) throw new Error(`"${wrong}" is not a valid label name for the metric ${name}`);
    if (this.#metrics.has(name)) throw new Error(`a metric with the name ${name} has already been registered`);
    return { name, help, labelNames };
  }

  #add(metric: Metric): void {
    this.#metrics.set(metric.name, metric);
    this.#toExpose.push(metric);
  }
}

// prom-client looks up a series by its labels for every change, which costs more than most of the measured operations. Therefore, values
// are stored in series that are looked up once, and passed to prom-client on request.

type Labels = Record<string, string>;

/** The series of one metric, keyed by label values. */
class SeriesByLabels<S> {
  readonly #names: readonly string[];
  readonly #make: () => S;
  readonly #known = new Map<string, { readonly labels: Labels; readonly series: S }>();

  constructor(names: readonly string[], make: () => S) {
    this.#names = names;
    this.#make = make;
  }

  get(values: readonly string[]): S {
    const key = values.join("\u0000");
    let known = this.#known.get(key);
    if (!known) {
      const labels = Object.fromEntries(this.#names.map((name, index) => [name, values[index] ?? ""]));
      known = { labels, series: this.#make() };
      this.#known.set(key, known);
    }
    return known.series;
  }

  all(): Iterable<{ readonly labels: Labels; readonly series: S }> {
    return this.#known.values();
  }

  clear(): void {
    this.#known.clear();
  }
}

/** One series of a counter metric. */
export class CounterSeries {
  #value = 0;

  /** The counted value. */
  get value(): number {
    return this.#value;
  }

  /** Increases the counter. @throws {RangeError} if `by` is negative or not a number */
  inc(by = 1): void {
    if (!(by >= 0)) throw new RangeError(`a counter can only increase, but the increment is ${by}`);
    this.#value += by;
  }
}

/** One series of a gauge metric. */
export class GaugeSeries {
  /** The current value. */
  value = 0;

  inc(by = 1): void {
    this.value += by;
  }

  dec(by = 1): void {
    this.value -= by;
  }

  set(value: number): void {
    this.value = value;
  }
}

/** One series of a histogram metric. */
export class HistogramSeries {
  /** Number of observations in each bucket, excluding those in smaller buckets. The last bucket is unlimited. */
  readonly counts: number[];
  /** Sum of all observations. */
  sum = 0;
  readonly #bounds: readonly number[];

  /** @param bounds upper bounds in ascending order */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.counts = new Array<number>(bounds.length + 1).fill(0);
  }

  /** Adds an observation. A value that equals a bucket's upper bound belongs to that bucket. */
  observe(value: number): void {
    const bounds = this.#bounds;
    let index = 0;
    while (index < bounds.length && value > (bounds[index] ?? 0)) index++;
    this.counts[index] = (this.counts[index] ?? 0) + 1;
    this.sum += value;
  }
}

/** Returns the series for the given label values, in the order of the label names. */
export type SeriesOf<S, L extends readonly string[] = readonly string[]> = (
  ...values: { readonly [K in keyof L]: string }
) => S;
