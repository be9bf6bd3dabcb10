import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { closingLine, failureLines, readReport, skippedLines, testedFolders } from "./report.ts";

const args = process.argv.slice(2);
if (args.includes("--help")) {
  console.log(`npm test [-- options]        run all tests, and print a summary
npm run test:count           print a summary of the last run

Options are passed to "nx run-many", such as --projects=cache,client.`);
  process.exit(0);
}
const root = resolve(args.find((arg) => !arg.startsWith("--")) ?? ".");
let exitCode = 0;

if (args.includes("--run")) {
  for (const folder of testedFolders(root)) rmSync(join(root, folder, "test-results.json"), { force: true });
  const extra = args.filter((arg) => arg.startsWith("--") && arg !== "--run");
  const nx = join(root, "node_modules", "nx", "dist", "bin", "nx.js");
  // Packages with slow tests have a target "test-slow" that depends on their "test", and the slowest have a second one, because nx starts
  // with targets on which most others depend. A package with slow tests also waits for programs and deadlines, so one more package is tested at
  // the same time than there are processors. Two more would not be faster, because some packages test two files at a time.
  const given = extra.some((arg) => arg.startsWith("--parallel"));
  const parallel = given ? [] : [`--parallel=${Math.min(availableParallelism() + 1, 8)}`];
  const words = ["run-many", "-t", "test", "test-slow", "test-slowest", "--outputStyle=stream", ...parallel, ...extra];
  const run = spawnSync(process.execPath, [nx, ...words], {
    cwd: root,
    stdio: "inherit",
  });
  exitCode = run.status ?? 1;
}

const report = readReport(root);
for (const line of skippedLines(report.skipped)) console.log(line);
for (const each of report.failed) console.log(failureLines(each));
console.log(closingLine(report));
process.exitCode = exitCode || (report.failed.length > 0 ? 1 : 0);
