import { Histogram, type HistogramConfiguration } from "prom-client";
import type { HistogramSeries, SeriesByLabels } from "./series.ts";

type HistogramValues = Awaited<ReturnType<Histogram<string>["get"]>>;

/** A histogram that returns the values of series which are kept outside of it. */
export class KeptHistogram extends Histogram<string> {
  readonly #name: string;
  readonly #bounds: readonly number[];
  readonly #series: SeriesByLabels<HistogramSeries>;
  /** Provides the other fields of prom-client's histograms. */
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

  /** Called by prom-client for the text format. */
  getForPromString(): Promise<HistogramValues> {
    return this.get();
  }
}
