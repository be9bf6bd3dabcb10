import type { CounterSeries, GaugeSeries, HistogramSeries, SeriesByLabels } from "./series.ts";

export interface Named {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
}

/** A metric, and its series. */
export type Metric = Named &
  (
    | { readonly type: "counter"; readonly series: SeriesByLabels<CounterSeries>; readonly collect?: () => void }
    | { readonly type: "gauge"; readonly series: SeriesByLabels<GaugeSeries>; readonly collect?: () => void }
    | {
        readonly type: "histogram";
        readonly series: SeriesByLabels<HistogramSeries>;
        readonly buckets: readonly number[];
      }
  );
