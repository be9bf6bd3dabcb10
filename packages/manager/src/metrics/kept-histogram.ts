import { Histogram, type HistogramConfiguration } from "prom-client";
import type { HistogramSeries, SeriesByLabels } from "./series.ts";

type HistogramValues = Awaited<ReturnType<Histogram<string>["get"]>>;

/** Answers with the numbers of series that are kept outside of it. */
export class KeptHistogram extends Histogram<string> {
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
