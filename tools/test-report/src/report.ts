import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Failure, Results, Skipped } from "./results.ts";

export interface Report {
  readonly passed: number;
  /** Failures, whose names begin with the package. A package without results counts as one failure. */
  readonly failed: readonly Failure[];
  /** Skipped tests, whose names begin with the package. */
  readonly skipped: readonly Skipped[];
}

/** Returns the folders of packages with a `test` script, relative to `root`. */
export function testedFolders(root: string): readonly string[] {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly workspaces?: readonly string[];
  };
  return (manifest.workspaces ?? [])
    .flatMap((pattern) => globSync(`${pattern}/package.json`, { cwd: root }))
    .map((path) => dirname(path).replaceAll("\\", "/"))
    .filter((folder) => {
      const one = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as {
        readonly scripts?: { readonly test?: string };
      };
      return one.scripts?.test !== undefined;
    })
    .sort();
}

/** Combines the `test-results.json` files of all packages. A test that was skipped without a reason counts as a failure, too. */
export function readReport(root: string): Report {
  let passed = 0;
  const [skipped, failed]: [Skipped[], Failure[]] = [[], []];
  for (const folder of testedFolders(root)) {
    const path = join(root, folder, "test-results.json");
    if (!existsSync(path)) {
      failed.push({ name: folder, message: "no test results" });
      continue;
    }
    const results = JSON.parse(readFileSync(path, "utf8")) as Results;
    passed += results.passed;
    for (const each of results.failed) failed.push({ ...each, name: `${folder}: ${each.name}` });
    for (const each of results.skipped) {
      const named = { ...each, name: `${folder}: ${each.name}` };
      skipped.push(named);
      if (!each.reason)
        failed.push({ name: named.name, message: "skipped without a reason; pass { meta: { needs } }" });
    }
  }
  return { passed, failed, skipped };
}

/** Formats a failure for the end of the output: its name and the first lines of its message. */
export function failureLines({ name, message }: Failure): string {
  const lines = message.split("\n");
  return [`failed: ${name}`, ...lines.slice(0, 12), ...(lines.length > 12 ? ["…"] : [])].join("\n    ");
}

/** Returns one line for all tests of a suite that were skipped for the same reason. */
export function skippedLines(skipped: readonly Skipped[]): string[] {
  const groups = Map.groupBy(skipped, ({ name, reason = "no reason" }) => `${name.split(" > ", 1)[0]}\n${reason}`);
  return [...groups].map(([group, { length }]) => {
    const [suite, reason] = group.split("\n");
    return `not run: ${suite}${length > 1 ? ` (${length} tests)` : ""}: ${reason}`;
  });
}

/** Returns the last line of the report, which summarizes the results. */
export function closingLine(report: Report): string {
  const skipped = report.skipped.length === 0 ? "" : `, ${report.skipped.length} skipped`;
  return `${report.passed} passed, ${report.failed.length} failed${skipped}`;
}
