#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { chooseMutants } from "./mutants.ts";

// Prints mutants of files as JSON, for other ways of testing them: `choose.ts SEED COUNT FILE…`, with paths relative to the root.
const root = resolve(import.meta.dirname, "../../..");
const [seed = "1", count = "1", ...paths] = process.argv.slice(2);
const sources = paths.map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
console.log(JSON.stringify(chooseMutants(sources, seed, Number(count))));
