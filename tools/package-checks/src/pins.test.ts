import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../../..");
const folders = "{apps,docs,examples,packages}";

/** Returns the matches of an expression in files, with the file. */
function matches(pattern: string, expression: RegExp): string[] {
  const files = globSync(pattern, { cwd: root, exclude: (name) => name === "node_modules" || name === "dist" });
  return files.flatMap((file) =>
    (readFileSync(join(root, file), "utf8").match(expression) ?? []).map((text) => `${file}: ${text.trim()}`),
  );
}

it("names the images of every stage of every Dockerfile by digest", () => {
  const found = matches(`${folders}/**/*Dockerfile*`, /^FROM .*$/gim);
  expect(found.length).toBeGreaterThanOrEqual(3);
  expect(found.filter((line) => !/: FROM [^ @]+:[^ @]+@sha256:[0-9a-f]{64}( AS [a-z]+)?$/.test(line))).toEqual([]);
  const shown = matches(`${folders}/**/*.md`, /^FROM .*$/gm);
  expect(shown.filter((line) => !/@sha256:/.test(line))).toEqual([]);
});

it("pins the actions in the documentation by commit", () => {
  const found = matches(`${folders}/**/*.md`, /\buses: \S+.*$/gm);
  expect(found.length).toBeGreaterThanOrEqual(6);
  expect(found.filter((line) => !/: uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
});
