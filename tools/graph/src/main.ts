#!/usr/bin/env node
import { resolve } from "node:path";
import { checkGraph } from "./check.ts";
import { sizesOf, sizesTable, tooLarge } from "./sizes.ts";
import { readWorkspace } from "./workspace.ts";

const words = process.argv.slice(2);
if (words.includes("--help")) {
  console.log(`npm run graph [-- --sizes]

Checks the imports and dependencies of all packages, their sizes and single-use files, and exits with 1 after a violation.

  --sizes  also print the size of each package`);
  process.exit(0);
}
const root = resolve(words.find((word) => !word.startsWith("--")) ?? ".");
const packages = readWorkspace(root);
const sizes = sizesOf(root, packages);
if (words.includes("--sizes")) console.log(sizesTable(sizes));
const violations = [...checkGraph(root), ...tooLarge(sizes)];
for (const violation of violations) console.error(violation);
if (violations.length > 0) {
  console.error(`${violations.length} violations of the package graph`);
  process.exitCode = 1;
} else {
  console.log(`the graph of ${packages.length} packages has no violations`);
}
