import type { Measurement } from "./measure.ts";

/** Returns the lines of a table: each measurement, and its ratio to the first. */
export function ratioTable(title: string, measurements: readonly Measurement[]): readonly string[] {
  const base = measurements[0]?.operationsPerCpuSecond ?? Number.NaN;
  const width = Math.max(title.length, ...measurements.map(({ name }) => name.length));
  return [
    `${title.padEnd(width)}  operations per CPU second  ratio`,
    ...measurements.map(({ name, operationsPerCpuSecond: each }) =>
      [
        name.padEnd(width),
        Math.round(each).toLocaleString("en-US").padStart(25),
        (each / base).toFixed(2).padStart(5),
      ].join("  "),
    ),
  ];
}
