import {
  Counter,
  type CounterConfiguration,
  Gauge,
  type GaugeConfiguration,
  Histogram,
  type HistogramConfiguration,
} from "prom-client";

// prom-client finds a series by its labels with every change, which costs more than most of what is measured here. So the numbers
// are kept in series that are looked up once, and prom-client is told of them when somebody asks.

type Labels = Record<string, string>;

/** The series of one metric, by the values of its labels. */
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
}

/** One series of a counter or a gauge. */
export class NumberSeries {
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

/** One series of a histogram. */
export class HistogramSeries {
  readonly counts: number[];
  sum = 0;
  readonly #bounds: readonly number[];

  /** @param bounds in ascending order */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.counts = new Array<number>(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    const bounds = this.#bounds;
    let index = 0;
    while (index < bounds.length && value > (bounds[index] ?? 0)) index++;
    this.counts[index] = (this.counts[index] ?? 0) + 1;
    this.sum += value;
  }
}

/** What makes or finds the series of given label values, in the order of the label names. */
export type SeriesOf<S> = (...values: string[]) => S;

export function counter(config: CounterConfiguration<string>): SeriesOf<NumberSeries> {
  const series = new SeriesByLabels(config.labelNames ?? [], () => new NumberSeries());
  new Counter({
    ...config,
    collect() {
      this.reset();
      for (const { labels, series: one } of series.all()) this.inc(labels, one.value);
    },
  });
  return (...values) => series.get(values);
}

export function gauge(config: GaugeConfiguration<string>): SeriesOf<NumberSeries> {
  const series = new SeriesByLabels(config.labelNames ?? [], () => new NumberSeries());
  new Gauge({
    ...config,
    collect() {
      this.reset();
      for (const { labels, series: one } of series.all()) this.set(labels, one.value);
    },
  });
  return (...values) => series.get(values);
}

export function histogram(
  config: HistogramConfiguration<string> & { readonly buckets: number[] },
): SeriesOf<HistogramSeries> {
  const series = new SeriesByLabels(config.labelNames ?? [], () => new HistogramSeries(config.buckets));
  new KeptHistogram(config, config.buckets, series);
  return (...values) => series.get(values);
}

type HistogramValues = Awaited<ReturnType<Histogram<string>["get"]>>;

/** Answers with the numbers of series that are kept outside of it. */
class KeptHistogram extends Histogram<string> {
  readonly #name: string;
  readonly #bounds: readonly number[];
  readonly #series: SeriesByLabels<HistogramSeries>;
  /** Knows what else prom-client says of a histogram. */
  readonly #empty: Histogram<string>;

  constructor(
    config: HistogramConfiguration<string>,
    bounds: readonly number[],
    series: SeriesByLabels<HistogramSeries>,
  ) {
    super(config);
    this.#name = config.name;
    this.#bounds = bounds;
    this.#series = series;
    this.#empty = new Histogram({ ...config, registers: [] });
  }

  override async get(): Promise<HistogramValues> {
    const values: HistogramValues["values"] = [];
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

  /** prom-client asks for text by this. */
  getForPromString(): Promise<HistogramValues> {
    return this.get();
  }
}
