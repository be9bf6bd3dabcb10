type Interval = readonly [first: number, last: number];

/** Maximum index, because indexes are 32-bit numbers. */
const maxIndex = 2 ** 31 - 1;

/**
 * A set of indexes of a job, stored as intervals, as in the job's status: `0-2147483646` is a single interval, not two
 * billion numbers.
 *
 * @see kubernetes pkg/controller/job/indexed_job_utils.go orderedIntervals
 */
export class IndexSet {
  /** Sorted intervals that neither overlap nor touch. */
  readonly #intervals: readonly Interval[];
  readonly size: number;

  private constructor(intervals: readonly Interval[]) {
    this.#intervals = intervals;
    this.size = intervals.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  }

  static readonly empty = new IndexSet([]);

  /** Parses text such as `0,2-4`. Skips invalid intervals, and indexes greater than or equal to `end`. */
  static parse(text: string | undefined, end: number = maxIndex + 1): IndexSet {
    if (!text) return IndexSet.empty;
    const intervals = text.split(",").flatMap((part): Interval[] => {
      const [, low, high = low] = /^(\d{1,10})(?:-(\d{1,10}))?$/.exec(part) ?? [];
      const [first, last] = [Number(low), Math.min(Number(high), end - 1)];
      return low !== undefined && first <= last ? [[first, last]] : [];
    });
    return new IndexSet(joined(intervals));
  }

  /** Returns the union with the given indexes. */
  with(indexes: Iterable<number>): IndexSet {
    const more = [...indexes].map((index): Interval => [index, index]);
    return more.length === 0 ? this : new IndexSet(joined([...this.#intervals, ...more]));
  }

  union(other: IndexSet): IndexSet {
    return new IndexSet(joined([...this.#intervals, ...other.#intervals]));
  }

  has(index: number): boolean {
    let [low, high] = [0, this.#intervals.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const [first, last] = this.#intervals[middle] ?? [0, 0];
      if (index < first) high = middle - 1;
      else if (index > last) low = middle + 1;
      else return true;
    }
    return false;
  }

  /** Returns the number of indexes that both sets contain. */
  countIn(other: IndexSet): number {
    let [count, i, j] = [0, 0, 0];
    while (i < this.#intervals.length && j < other.#intervals.length) {
      const [a, b] = [this.#intervals[i], other.#intervals[j]];
      if (!a || !b) break;
      count += Math.max(0, Math.min(a[1], b[1]) - Math.max(a[0], b[0]) + 1);
      if (a[1] < b[1]) i++;
      else j++;
    }
    return count;
  }

  /** Yields the indexes below `end` that the set does not contain, in ascending order. */
  *missing(end: number): Generator<number> {
    let next = 0;
    for (const [first, last] of this.#intervals) {
      for (; next < Math.min(first, end); next++) yield next;
      next = last + 1;
    }
    for (; next < end; next++) yield next;
  }

  /** Returns text such as `0,2-4`, in upstream's format. */
  toString(): string {
    return this.#intervals
      .map(([first, last]) =>
        first === last ? `${first}` : last === first + 1 ? `${first},${last}` : `${first}-${last}`,
      )
      .join(",");
  }
}

/** Sorts intervals, and merges intervals that overlap or touch. */
function joined(intervals: readonly Interval[]): Interval[] {
  const result: [number, number][] = [];
  for (const [first, last] of intervals.toSorted((a, b) => a[0] - b[0])) {
    const before = result.at(-1);
    if (before && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else result.push([first, last]);
  }
  return result;
}
