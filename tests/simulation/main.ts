import { spawnSync } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { simulate, type UserKind } from "@kubewright/simulation";
import { findBug } from "./find-bug.ts";
import { simulateMutants } from "./mutants.ts";
import { bugs } from "./planted/bugs.ts";

/**
 * Looks for each planted bug, or for those that are named, and prints a Markdown table of how they were found. A bug that faults make visible is then looked for
 * without these faults: it counts for its class if it is not found, or needs five times as many schedules. With `--quick`, that is left
 * out. With the name `mutants`, it changes the examples instead, and prints which changes the simulation notices. With the name `examples`, it
 * simulates the examples and the operator's composites. With the name `memory`, it measures the memory of many schedules.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    schedules: { type: "string" },
    count: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
    story: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
  },
});
if (positionals[0] === "examples") process.exit(examplesThatFail(positionals.slice(1)) > 0 ? 1 : 0);
const isAboutMutants = positionals.includes("mutants");
const isAboutMemory = positionals.includes("memory");
const schedules = Number(values.schedules ?? (isAboutMutants ? 40 : isAboutMemory ? 2_000 : 200));
const seed = Number(values.seed);
/** Factor by which a bug must be harder to find without its class of faults, and the fewest schedules in which it is looked for. */
const [factor, fewest] = [5, 30] as const;
const names = positionals.length > 0 ? positionals : Object.keys(bugs);
const byClass = new Map<string, number>();
const byCheck = new Map<string, number>();
let found = 0;

const count = (counts: Map<string, number>, name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);

const maxStepLength = 90;

/** Returns the last step of a user, or the last fault, that a shortened story contains; undefined if there is none. */
function stepIn(story: string): string | undefined {
  const steps = story.split("\n").flatMap((line) => /^ +[\d.]+ s {2}(?:user|fault) +(.*)$/.exec(line)?.[1] ?? []);
  return steps.at(-1)?.slice(0, maxStepLength).replaceAll("|", "\\|");
}

const printRow = (...cells: readonly string[]): void => console.log(`| ${cells.join(" | ")} |`);

/** Simulates the examples and the operator's composites, or those whose paths contain one of the names. Returns the number of failures. */
function examplesThatFail(wanted: readonly string[]): number {
  const root = join(import.meta.dirname, "..", "..");
  const files = globSync(["examples/*/simulate.test.ts", "apps/*/src/**/*-simulation.test.ts"], { cwd: root }).sort();
  const chosen = files.filter((file) => wanted.length === 0 || wanted.some((name) => file.includes(name)));
  if (chosen.length === 0) throw new Error(`no simulation has a path that contains ${wanted.join(" or ")}`);
  const { schedules: KUBEWRIGHT_SCHEDULES = "200", seed: KUBEWRIGHT_SEED } = values;
  const failed = chosen.filter((file) => {
    let folder = dirname(join(root, file));
    while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
    const { status } = spawnSync("npx", ["vitest", "run", relative(folder, join(root, file))], {
      cwd: folder,
      stdio: "inherit",
      env: { ...process.env, KUBEWRIGHT_SCHEDULES, KUBEWRIGHT_SEED },
    });
    return status !== 0;
  });
  console.log(`${failed.length} of ${chosen.length} simulations failed${failed.map((file) => `\n${file}`).join("")}`);
  return failed.length;
}

/** Looks for a bug without its faults. Returns what that shows, and whether the bug counts for its class. */
async function withoutFaults(name: string, played: number): Promise<readonly [text: string, counts: boolean]> {
  const { fault } = bugs[name] ?? {};
  if (values.quick) return ["not run", true];
  if (fault === undefined || fault === "users") return ["", true];
  const limit = Math.min(schedules, Math.max(fewest, factor * played));
  const other = await findBug(name, { schedules: limit, seed, without: fault, shorten: false });
  if (!other) return [`not in ${limit}`, true];
  const counts = other.played > factor * played;
  return [`${other.played} (${other.check})${counts ? "" : ": does not count"}`, counts];
}

async function findBugs(): Promise<void> {
  printRow("bug", "faults", "schedule", "check", "last step of the shortened story", "schedule without these faults");
  printRow(...Array.from({ length: 6 }, () => "---"));
  const unnamed: string[] = [];
  for (const name of names) {
    const fault = bugs[name]?.fault ?? "?";
    const bug = await findBug(name, { schedules, seed });
    if (!bug) {
      printRow(name, fault, `not in ${schedules}`, "", "", "");
      continue;
    }
    found++;
    count(byCheck, bug.check);
    const [text, counts] = await withoutFaults(name, bug.played);
    if (counts) count(byClass, fault);
    const step = stepIn(bug.story);
    if (step === undefined) unnamed.push(name);
    printRow(name, fault, String(bug.played), bug.check, step ?? "none", text);
    if (values.story) console.log(bug.story);
  }
  console.log(`${found} of ${names.length} found; stories without a step: ${unnamed.join(", ") || "none"}`);
  for (const [title, counts] of [
    ["by class of faults that they need", byClass],
    ["by check that found them", byCheck],
  ] as const)
    console.log(`${title}: ${[...counts].map(([name, number]) => `${name} ${number}`).join(", ")}`);
}

/** Factor by which the memory may grow. */
const maxGrowth = 1.25;

/** Simulates example 01, and prints the memory in use after 10, 50 and 100 percent of the schedules. Fails if it grows. */
async function measureMemory(): Promise<void> {
  if (!globalThis.gc) throw new Error("start this process with --expose-gc");
  const program = pathToFileURL(join(import.meta.dirname, "../../examples/01-minimal/main.ts"));
  const { Site }: { readonly Site: UserKind } = await import(program.href);
  const measured: { readonly heap: number; readonly peak: number }[] = [];
  let peak = 0;
  const sampling = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 100);
  let from = 0;
  for (const share of [0.1, 0.5, 1]) {
    const end = Math.round(share * schedules);
    peak = 0;
    await simulate(program, { kinds: [Site], seed, from, schedules: end - from, print: () => {} });
    from = end;
    globalThis.gc();
    const heap = process.memoryUsage().heapUsed;
    measured.push({ heap, peak });
    const [heapMiB, peakMiB] = [heap, peak].map((bytes) => (bytes / 2 ** 20).toFixed(1));
    console.log(`${end} schedules: heap after garbage collection ${heapMiB} MiB, peak RSS until then ${peakMiB} MiB`);
  }
  clearInterval(sampling);
  const [first, middle, last] = measured;
  // Threads live for up to 250 schedules, so the peak is reached only after the first measurement.
  const isFlat = first && middle && last && last.heap <= first.heap * maxGrowth && last.peak <= middle.peak * maxGrowth;
  console.log(isFlat ? "the memory does not grow" : "the memory grows");
  process.exitCode = isFlat ? 0 : 1;
}

if (isAboutMemory) await measureMemory();
else await (isAboutMutants ? simulateMutants(Number(values.count), schedules, seed) : findBugs());
