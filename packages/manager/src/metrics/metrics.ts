import type { Registry } from "prom-client";
import type { Metric, Named } from "./metric.ts";
import { CounterSeries, GaugeSeries, HistogramSeries, SeriesByLabels, type SeriesOf } from "./series.ts";

/** What every metric has. A name that Prometheus does not take is refused when the metric is made. */
export interface MetricOptions<L extends readonly string[] = readonly string[]> {
  /** As Prometheus has them: `shop_orders_shipped_total`. Unique. */
  readonly name: string;
  /** What it counts, in a sentence. */
  readonly help: string;
  /** Default: none. */
  readonly labelNames?: L | undefined;
}

/** A number that only grows; its name ends in `_total` by custom. */
export interface CounterOptions<L extends readonly string[] = readonly string[]> extends MetricOptions<L> {
  /**
   * Called whenever the numbers are asked for, with nothing counted: what it adds is all there is. For counts that are kept elsewhere,
   * and whose series end. Default: what was counted stays.
   */
  readonly collect?: ((of: SeriesOf<CounterSeries, L>) => void) | undefined;
}

/** A number that rises and falls, such as what there is right now. */
export interface GaugeOptions<L extends readonly string[] = readonly string[]> extends MetricOptions<L> {
  /** Called whenever the numbers are asked for, with nothing set: what it sets is all there is. Default: what was set stays. */
  readonly collect?: ((of: SeriesOf<GaugeSeries, L>) => void) | undefined;
}

/** How observations spread over buckets, with their sum and number. */
export interface HistogramOptions<L extends readonly string[] = readonly string[]> extends MetricOptions<L> {
  /** Upper bounds, in ascending order; the one without limit comes by itself. Default: 5 ms to 10 s, for seconds. */
  readonly buckets?: readonly number[] | undefined;
}

const defaultBuckets: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * What a program measures, served at `/metrics`. A metric is a function from the values of its labels to a series, which is found
 * once and then costs an addition:
 *
 * ```ts
 * const shipped = manager.metrics.counter({ name: "shop_shipped_total", help: "Orders sent off", labelNames: ["region"] });
 * shipped("eu").inc();
 * ```
 *
 * prom-client, which writes the text, is loaded when somebody first asks for it.
 */
export class Metrics {
  readonly #metrics = new Map<string, Metric>();
  #toExpose: Metric[] = [];
  readonly #ofProcess: boolean;
  #registry: Promise<Registry> | undefined;

  /** With `ofProcess` there are also those of the process and the engine: `process_*` as upstream names them, and `nodejs_*`. Default false. */
  constructor(options: { readonly ofProcess?: boolean | undefined } = {}) {
    this.#ofProcess = options.ofProcess ?? false;
  }

  /** @throws {Error} if the name is taken, or a name is none that Prometheus takes */
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

  /** @throws {Error} if the name is taken, or a name is none that Prometheus takes */
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

  /** @throws {Error} if the name is taken, a name is none that Prometheus takes, or the buckets are not in ascending order */
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

  /** The numbers in Prometheus' text format. */
  async metrics(): Promise<string> {
    return (await this.registry()).metrics();
  }

  /** prom-client's registry of all of it: for what is made with prom-client itself. */
  async registry(): Promise<Registry> {
    this.#registry ??= this.#begun();
    const [registry, { expose }] = await Promise.all([this.#registry, import("./exposition.ts")]);
    for (const metric of this.#toExpose.splice(0)) expose(metric, registry);
    return registry;
  }

  async #begun(): Promise<Registry> {
    const [{ Registry }, { exposeProcess }] = await Promise.all([
      import("prom-client"),
      import("./process-metrics.ts"),
    ]);
    const registry = new Registry();
    if (this.#ofProcess) exposeProcess(registry);
    return registry;
  }

  #named({ name, help, labelNames = [] as never }: MetricOptions): Named {
    if (!/^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(name)) throw new Error(`"${name}" is no name for a metric`);
    const wrong = labelNames.find((label) => !/^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/.test(label));
    if (wrong !== undefined) throw new Error(`"${wrong}" is no name for a label of the metric ${name}`);
    if (this.#metrics.has(name)) throw new Error(`a metric with the name ${name} has been registered already`);
    return { name, help, labelNames };
  }

  #add(metric: Metric): void {
    this.#metrics.set(metric.name, metric);
    this.#toExpose.push(metric);
  }
}
