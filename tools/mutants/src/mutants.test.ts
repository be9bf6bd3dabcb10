import { expect, it } from "vitest";
import { chooseMutants, sitesOf } from "./mutants.ts";

const source = (path: string, functions: number) => ({
  path,
  text: Array.from({ length: functions }, (_, i) => `export const f${i} = (a: number) => a < ${i + 10};\n`).join(""),
});
const sources = [
  source("packages/a/src/large.ts", 8),
  source("packages/a/src/small.ts", 1),
  source("packages/a/src/b.ts", 3),
];
const chosen = (seed: string, count: number, from = sources) =>
  chooseMutants(from, seed, count).map(({ path, line, after }) => `${path}:${line} ${after}`);

it("chooses the same mutants for the same seed, and others for another", () => {
  expect(chosen("7", 6)).toEqual(chosen("7", 6));
  expect(chosen("7", 6)).not.toEqual(chosen("8", 6));
});

it("takes one mutant of every file before a second of any", () => {
  const paths = chooseMutants(sources, "7", 5).map(({ path }) => path);
  expect(new Set(paths.slice(0, 3)).size).toBe(3);
  expect(new Set(paths.slice(3)).size).toBe(2);
});

it("returns all mutants if more are requested, and no place twice", () => {
  const all = chosen("7", 1_000);
  expect(all).toHaveLength(2 * 12);
  expect(new Set(all).size).toBe(2 * 12);
});

it("chooses within a file independently of other files", () => {
  const without = chosen("7", 8, sources.slice(0, 1));
  const within = chosen("7", 1_000).filter((one) => one.includes("large.ts"));
  expect(within.slice(0, 8)).toEqual(without);
});

it("describes a mutant by line number and the whole lines before and after", () => {
  const text = "export function f(a: number) {\n  if (\n    a < 1\n  )\n    return 2;\n}\n";
  const [mutant] = sitesOf({ path: "f.ts", text }).flat();
  expect(mutant).toMatchObject({ line: 2, before: "if ( a < 1 ) return 2;", after: "(nothing)", operator: "guard" });
  expect(mutant?.text).toBe("export function f(a: number) {\n  \n}\n");
});
