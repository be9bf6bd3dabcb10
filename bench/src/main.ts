import process from "node:process";
import { parseArgs } from "node:util";
import { fullSizes, quickSizes } from "./bench.ts";
import { buildGoProgram } from "./go-program.ts";
import { runBench, type SuiteName, suites } from "./run-bench.ts";

const names = Object.keys(suites) as SuiteName[];
const usage = `npm run bench -- [--quick] [--only <suite>,…] [--rounds <number>] [--no-go]

  --quick            check only that everything runs; the figures are meaningless
  --only <suites>    suites to run, of ${names.join(", ")} (default: all)
  --rounds <number>  how often to repeat each measurement
  --no-go            omit the comparison with client-go, which requires Go`;

function refuse(reason: string): never {
  console.error(`${reason}\n\n${usage}`);
  process.exit(2);
}

function readOptions() {
  try {
    return parseArgs({
      options: {
        quick: { type: "boolean", default: false },
        only: { type: "string", default: names.join(",") },
        rounds: { type: "string" },
        "no-go": { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    }).values;
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

const values = readOptions();
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const only = values.only
  .split(",")
  .map(
    (name) => names.find((one) => one === name) ?? refuse(`unknown suite "${name}"; choose from: ${names.join(", ")}`),
  );
const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0))
  refuse(`--rounds must be a positive integer, not "${values.rounds}"`);
const sizes = values.quick ? quickSizes : fullSizes;
const print = (line: string): void => console.log(line);
if (values.quick) print("quick: only checks that everything runs; ignore the figures");

await runBench({
  sizes: { ...sizes, rounds: rounds ?? sizes.rounds },
  only,
  goBinary: values["no-go"] ? undefined : await buildGoProgram(print),
  print,
});
