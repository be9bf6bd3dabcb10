#!/usr/bin/env node
import { resolve } from "node:path";
import { checkGraph } from "./check.ts";
import { readWorkspace } from "./workspace.ts";

const root = resolve(process.argv[2] ?? ".");
const violations = checkGraph(root);
for (const violation of violations) console.error(violation);
if (violations.length > 0) {
  console.error(`${violations.length} against the package graph`);
  process.exitCode = 1;
} else {
  console.log(`the graph of ${readWorkspace(root).length} packages is true`);
}
