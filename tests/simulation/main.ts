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
