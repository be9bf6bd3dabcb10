import process from "node:process";
import { parseArgs } from "node:util";
import { fullSizes, quickSizes } from "./bench.ts";
import { buildGoProgram } from "./go-program.ts";
import { runBench, type SuiteName, suites } from "./run-bench.ts";

const names = Object.keys(suites) as SuiteName[];
const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string", default: names.join(",") },
    rounds: { type: "string" },
    "no-go": { type: "boolean", default: false },
  },
});
const only = values.only.split(",").map((name) => {
  const known = names.find((one) => one === name);
  if (!known) {
    console.error(`unknown suite "${name}"; choose from: ${names.join(", ")}`);
    process.exit(2);
  }
  return known;
});
const sizes = values.quick ? quickSizes : fullSizes;
const print = (line: string): void => console.log(line);
if (values.quick) print("quick: only checks that everything runs; ignore the figures");

await runBench({
  sizes: { ...sizes, rounds: Number(values.rounds ?? sizes.rounds) },
  only,
  goBinary: values["no-go"] ? undefined : await buildGoProgram(print),
  print,
});
