import { expect, it } from "vitest";
import { quickSizes } from "./bench.ts";
import { figureLines } from "./figures.ts";
import { runBench, type SuiteName, suites } from "./run-bench.ts";

it.each(Object.keys(suites) as SuiteName[])("measures everything in the suite %s", async (name) => {
  const lines: string[] = [];
  const print = (line: string): void => void lines.push(line);

  const all = await runBench({ sizes: quickSizes, only: [name], goBinary: undefined, print });

  expect(all.length).toBeGreaterThan(0);
  for (const { rows, columns } of all)
    for (const { values } of rows) {
      expect(values).toHaveLength(columns.length);
      expect(values.every(Number.isFinite)).toBe(true);
    }
  expect(lines.length).toBeGreaterThan(all.length);
});

it("reports whether each target is reached", () => {
  const lines = figureLines({
    title: "speed",
    columns: [{ title: "per second", digits: 0 }],
    rows: [
      { name: "ours", values: [3_000] },
      { name: "theirs", values: [1_000] },
    ],
    targets: [
      { what: "speed", column: 0, against: "theirs", atLeast: 2 },
      { what: "speed", column: 0, against: "theirs", atLeast: 4 },
      { what: "speed", column: 0, against: "nobody's", atMost: 1 },
    ],
  });

  expect(lines).toEqual([
    "speed   per second",
    "ours         3,000",
    "theirs       1,000",
    "  speed: 3.00 x theirs, target: at least 2  reached",
    "  speed: 3.00 x theirs, target: at least 4  NOT REACHED",
    "  speed: not measured here (no nobody's)",
  ]);
});
