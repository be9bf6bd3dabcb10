import { median } from "./measure.ts";

/** The measurements of one subject, one number per column. */
export interface Row {
  readonly name: string;
  readonly values: readonly number[];
}

interface Column {
  readonly title: string;
  /** Number of decimals. */
  readonly digits?: number;
}

/** A target for the ratio of our figure to the figure of another subject, in one column. */
interface Target {
  readonly what: string;
  readonly column: number;
  /** The subject of the figure. Default: the first row. */
  readonly of?: string;
  readonly against: string;
  readonly atMost?: number;
  readonly atLeast?: number;
}

export interface Figures {
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly targets?: readonly Target[];
}

/** Returns the median of each column over several takes of a subject. */
export const medianRow = (name: string, takes: readonly (readonly number[])[]): Row => ({
  name,
  values: (takes[0] ?? []).map((_, column) => median(takes.map((take) => take[column] ?? Number.NaN))),
});

/**
 * Returns the lines of a report: the figures of each subject, followed by the ratios of the first subject to others,
 * with their targets.
 */
export function figureLines({ title, columns, rows, targets = [] }: Figures): readonly string[] {
  const width = Math.max(title.length, ...rows.map(({ name }) => name.length));
  const line = (name: string, cells: readonly string[]): string =>
    [name.padEnd(width), ...cells.map((cell, at) => cell.padStart(columns[at]?.title.length ?? 0))].join("  ");
  const number = (value: number, digits = 1): string =>
    value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return [
    line(
      title,
      columns.map((column) => column.title),
    ),
    ...rows.map(({ name, values }) =>
      line(
        name,
        values.map((value, at) => number(value, columns[at]?.digits)),
      ),
    ),
    ...targets.flatMap((target) => targetLine(target, rows)),
  ];
}

function targetLine(target: Target, rows: readonly Row[]): readonly string[] {
  const { what, column, of, against, atMost, atLeast } = target;
  const figure = (row: Row | undefined): number | undefined => row?.values[column];
  const named = (name: string): Row | undefined => rows.find((row) => row.name === name);
  const [ours, other] = [figure(of === undefined ? rows[0] : named(of)), figure(named(against))];
  if (ours === undefined || other === undefined) return [`  ${what}: not measured here (no ${against})`];
  const ratio = ours / other;
  const isReached = (atMost === undefined || ratio <= atMost) && (atLeast === undefined || ratio >= atLeast);
  const wanted = atMost === undefined ? `at least ${atLeast}` : `at most ${atMost}`;
  return [`  ${what}: ${ratio.toFixed(2)} x ${against}, target: ${wanted}  ${isReached ? "reached" : "NOT REACHED"}`];
}
