import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { apiReports } from "./public-api.ts";
import { readWorkspace } from "./workspace.ts";

if (process.argv.includes("--help")) {
  console.log(`npm run api [-- --check]

Writes the public API of each built package to its api.txt.

  --check  write nothing; exit with 1 if a report differs`);
  process.exit(0);
}

const root = process.cwd();
const check = process.argv.includes("--check");
const folders = readWorkspace(root)
  .map(({ folder }) => folder)
  .filter((folder) => folder.startsWith("packages/"));
for (const { folder, text } of apiReports(root, folders)) {
  const path = join(root, folder, "api.txt");
  const before = existsSync(path) ? readFileSync(path, "utf8") : "";
  if (before === text) continue;
  if (check) {
    console.error(`${folder}/api.txt: the public API differs; run npm run api, and review the change`);
    process.exitCode = 1;
  } else {
    writeFileSync(path, text);
    console.log(`${folder}/api.txt written`);
  }
}
