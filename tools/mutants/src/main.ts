#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseEquivalents } from "./equivalent.ts";
import { RedError } from "./examination.ts";
import { parseOptions, usage } from "./options.ts";
import { cutShortText, describe, jsonOf, linesOf } from "./report.ts";
import { run } from "./run.ts";

const tool = resolve(import.meta.dirname, "..");
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

if (process.argv.includes("--help")) {
  console.log(usage);
  process.exit(0);
}

try {
  const options = parseOptions(process.argv.slice(2));
  const report = await run({
    root: resolve(tool, "../.."),
    options,
    recordsFolder: resolve(tool, "../../node_modules/.cache/mutants"),
    equivalents: parseEquivalents(readFileSync(join(tool, "equivalent.txt"), "utf8")),
    onVerdict: ({ mutant, result, by, files }) =>
      console.error(`${(files ? cutShortText(files) : result).padEnd(8)} ${describe(mutant)}${by ? `  [${by}]` : ""}`),
  });
  console.log(`seed ${report.seed}`);
  for (const line of options.json ? [jsonOf(report)] : linesOf(report)) console.log(line);
} catch (error) {
  if (
    !(
      error instanceof RedError ||
      error instanceof RangeError ||
      error instanceof TypeError ||
      error instanceof SyntaxError
    )
  )
    throw error;
  console.error(error instanceof TypeError ? `${error.message}\n\n${usage}` : error.message);
  process.exitCode = 1;
}
