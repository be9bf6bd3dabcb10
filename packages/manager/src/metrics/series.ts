// prom-client finds a series by its labels with every change, which costs more than most of what is measured here. So the numbers
// are kept in series that are looked up once, and prom-client is told of them when somebody asks.

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

  /** What was counted so far. */
  get value(): number {
    return this.#value;
  }

  /** @throws {RangeError} if `by` is negative or no number */
  inc(by = 1): void {
    if (!(by >= 0)) throw new RangeError(`a counter only goes up, not by ${by}`);
    this.#value += by;
  }
}

/** One series of a gauge. */
export class GaugeSeries {
  /** What it stands at. */
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
  /** How many observations fell into each bucket, and into no smaller one; the last is the one without limit. */
  readonly counts: number[];
  /** Of all observations. */
  sum = 0;
  readonly #bounds: readonly number[];

  /** @param bounds in ascending order */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.counts = new Array<number>(bounds.length + 1).fill(0);
  }

  /** A value that equals a bucket's bound falls into it. */
  observe(value: number): void {
    const bounds = this.#bounds;
    let index = 0;
    while (index < bounds.length && value > (bounds[index] ?? 0)) index++;
    this.counts[index] = (this.counts[index] ?? 0) + 1;
    this.sum += value;
  }
}

/** What makes or finds the series of given label values, in the order of the label names. */
export type SeriesOf<S, L extends readonly string[] = readonly string[]> = (
  ...values: { readonly [K in keyof L]: string }
) => S;
