import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import areas from "./ids.json" with { type: "json" };
import notYetRows from "./not-yet.json" with { type: "json" };

const notYet: readonly { readonly id: string; readonly lacks: string }[] = notYetRows;
const here = import.meta.dirname;
const idPattern = /\b[A-Z]{2,3}-\d{3}\b/g;
const hasId = /^\| [A-Z]{2,3}-\d{3} +\|/;
/** Conformance tests that are next to the code they test. */
const elsewhere = ["../../packages/certificates/src/cert-watcher.test.ts"];
const sources = [...globSync("**/*.test.ts", { cwd: here, exclude: ["node_modules/**"] }), ...elsewhere].map(
  (file) => ({ file, text: readFileSync(join(here, file), "utf8") }),
);

/** Returns the IDs in the names of tests. */
function testedIds(): Set<string> {
  const names = sources.flatMap(({ text }) => [
    ...text.matchAll(/\bit(?:\.each(?:<[^(]*>)?\([\s\S]*?\))?\(\s*(["'`])(.*?)\1/g),
  ]);
  return new Set(names.flatMap((name) => name[2]?.match(idPattern) ?? []));
}

/** The IDs of the rows of DIFFERENCES.md. */
const differingRows: readonly string[] = [
  ...readFileSync(join(here, "DIFFERENCES.md"), "utf8").matchAll(/^\| ([A-Z]{2,3}-\d{3}) +\|/gm),
].map((row) => row[1] ?? "");

/** Returns the IDs that DIFFERENCES.md gives a reason for. */
const differingIds = (): Set<string> => new Set(differingRows);

it("has every id once", () => {
  const ids = areas.flatMap((area) => area.ids);
  expect(new Set(ids).size).toBe(ids.length);
  const counted = Object.entries({ WQ: 58, INF: 149, CT: 83, MG: 58, FO: 32, LE: 30, EV: 38, CL: 109, WH: 56 });
  for (const [list, count] of counted) expect(ids.filter((id) => id.startsWith(`${list}-`))).toHaveLength(count);
});

it("accounts for every id, by a test or a reason, or lists it as not done yet", () => {
  const accounted = testedIds().union(differingIds());
  const open = notYet.map(({ id, lacks }) => `${id}: ${lacks}`);
  process.stdout.write(`not yet: ${open.length === 0 ? "none" : `\n  ${open.join("\n  ")}`}\n`);
  expect(notYet.filter(({ id }) => accounted.has(id))).toEqual([]);
  for (const { id } of notYet) accounted.add(id);
  const missing = areas.flatMap((area) => area.ids.filter((id) => !accounted.has(id)));
  expect(missing).toEqual([]);
});

it("has no id that is not in the checklist", () => {
  const known = new Set(areas.flatMap((area) => area.ids));
  expect([...testedIds().union(differingIds())].filter((id) => !known.has(id))).toEqual([]);
});

it("gives a reason only for ids without a test, and names an existing test of our behavior", () => {
  const rows = readFileSync(join(here, "DIFFERENCES.md"), "utf8")
    .split("\n")
    .filter((line) => hasId.test(line));
  const texts = sources.map(({ text }) => text).join("\n");
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows) {
    const shown = row.split("|").at(-2) ?? "";
    const named = [...shown.matchAll(/`([A-Z]{2,3}-\d{3})`|"([^"]+)"/g)].map((match) => match[1] ?? match[2] ?? "");
    expect(named.length, row).toBeGreaterThan(0);
    for (const name of named) expect(texts, row).toContain(name);
  }
  expect([...testedIds().intersection(differingIds())]).toEqual([]);
});

it("gives each reason once, in one table", () => {
  expect(differingRows.filter((id, index) => differingRows.indexOf(id) !== index)).toEqual([]);
  expect(readFileSync(join(here, "DIFFERENCES.md"), "utf8").match(/^\| id +\|/gm)).toHaveLength(1);
});

it("skips nothing", () => {
  const skipping = /\b(?:it|test|describe)\.(?:skip|todo|only|fails)\b/;
  expect(sources.filter(({ text }) => skipping.test(text)).map(({ file }) => file)).toEqual([]);
});
