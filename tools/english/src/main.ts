import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { proseOf } from "./prose.ts";
import { findingsIn } from "./rules.ts";

if (process.argv.includes("--help")) {
  console.log(`npm run english -- [folder or file]…

Prints the sentences to rewrite, and exits with 1 if there are any. Default: all files of the workspace.`);
  process.exit(0);
}

const exceptions = readFileSync(join(import.meta.dirname, "../exceptions.txt"), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"));
const listed = execFileSync("git", ["ls-files", "-z", "--", ...process.argv.slice(2)], { encoding: "utf8" });
const files = listed
  .split("\0")
  .filter((path) => /(?<!\.d)\.(ts|tsx|md)$/.test(path) && !path.startsWith("tools/english/"));
let count = 0;
for (const path of files) {
  for (const { line, text } of proseOf(path, readFileSync(path, "utf8")))
    for (const { match, remedy } of findingsIn(text, exceptions)) {
      count++;
      console.log(`${path}:${line}: "${match.slice(0, 80)}": ${remedy}`);
    }
}
console.log(
  count === 0 ? `${files.length} files: nothing to rewrite` : `${count} sentences to rewrite in ${files.length} files`,
);
process.exitCode = count === 0 ? 0 : 1;
