// prom-client looks up a series by its labels with every change, which costs more than most of the measured operations. Therefore the
// values are kept in series that are looked up once, and are passed to prom-client on request.

type Labels = Record<string, string>;

/** The series of one metric, by the values of its labels. */
export class SeriesByLabels<S> {
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

/** One series of a counter. */
export class CounterSeries {
  #value = 0;

  /** The counted value. */
  get value(): number {
    return this.#value;
  }

  /** Increases the counter. @throws {RangeError} if `by` is negative or not a number */
  inc(by = 1): void {
    if (!(by >= 0)) throw new RangeError(`a counter can only increase, not by ${by}`);
    this.#value += by;
  }
}

/** One series of a gauge. */
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

/** One series of a histogram. */
export class HistogramSeries {
  /** Number of observations in each bucket, excluding those in smaller ones; the last bucket is the unlimited one. */
  readonly counts: number[];
  /** Sum of all observations. */
  sum = 0;
  readonly #bounds: readonly number[];

  /** @param bounds in ascending order */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.counts = new Array<number>(bounds.length + 1).fill(0);
  }

  /** Adds an observation. A value that equals a bucket's bound belongs to that bucket. */
  observe(value: number): void {
    const bounds = this.#bounds;
    let index = 0;
    while (index < bounds.length && value > (bounds[index] ?? 0)) index++;
    this.counts[index] = (this.counts[index] ?? 0) + 1;
    this.sum += value;
  }
}

/** Returns the series for given label values, in the order of the label names. */
export type SeriesOf<S, L extends readonly string[] = readonly string[]> = (
  ...values: { readonly [K in keyof L]: string }
) => S;
