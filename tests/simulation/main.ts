import { spawnSync } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { findBug } from "./find-bug.ts";
import { bugs } from "./planted/bugs.ts";

/** Looks for each planted bug, or for those that are named, and prints how it was found. */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    schedules: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    story: { type: "boolean", default: false },
  },
});
if (positionals[0] === "examples") process.exit(examplesThatFail(positionals.slice(1)) > 0 ? 1 : 0);
const names = positionals.length > 0 ? positionals : Object.keys(bugs);
let found = 0;
for (const name of names) {
  const startedMs = performance.now();
  const story = await findBug(name, Number(values.schedules), Number(values.seed));
  if (story !== undefined) found++;
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
  const [first = "", ...lines] = story?.split("\n") ?? ["not found"];
  const problem = lines.find((line) => line.startsWith("✗"));
  console.log(`${name} (${bugs[name]?.fault}, ${seconds} s): ${values.story ? story : `${first} ${problem ?? ""}`}`);
}
console.log(`${found} of ${names.length} found`);

/** Simulates the examples and the operator's composites, or those whose paths contain one of the names. Returns the number of failures. */
function examplesThatFail(wanted: readonly string[]): number {
  const root = join(import.meta.dirname, "..", "..");
  const files = globSync(["examples/*/simulate.test.ts", "apps/*/src/**/*-simulation.test.ts"], { cwd: root }).sort();
  const chosen = files.filter((file) => wanted.length === 0 || wanted.some((name) => file.includes(name)));
  if (chosen.length === 0) throw new Error(`no simulation has a path that contains ${wanted.join(" or ")}`);
  const { schedules: KUBEWRIGHT_SCHEDULES, seed: KUBEWRIGHT_SEED } = values;
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
