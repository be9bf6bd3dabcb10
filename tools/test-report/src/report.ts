import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Failure, Results } from "./results.ts";

export interface Report {
  readonly passed: number;
  /** Failures, whose names begin with the package. A package without results counts as one failure. */
  readonly failed: readonly Failure[];
  /** Skipped tests, as `package: test`. */
  readonly skipped: readonly string[];
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

/** Combines the `test-results.json` files of all packages. */
export function readReport(root: string): Report {
  let passed = 0;
  const [skipped, failed]: [string[], Failure[]] = [[], []];
  for (const folder of testedFolders(root)) {
    const path = join(root, folder, "test-results.json");
    if (!existsSync(path)) {
      failed.push({ name: folder, message: "no test results" });
      continue;
    }
    const results = JSON.parse(readFileSync(path, "utf8")) as Results;
    passed += results.passed;
    for (const each of results.failed) failed.push({ ...each, name: `${folder}: ${each.name}` });
    for (const each of results.skipped) skipped.push(`${folder}: ${each}`);
  }
  return { passed, failed, skipped };
}

/** Formats a failure for the end of the output: its name and the first lines of its message. */
export function failureLines({ name, message }: Failure): string {
  const lines = message.split("\n");
  return [`failed: ${name}`, ...lines.slice(0, 12), ...(lines.length > 12 ? ["…"] : [])].join("\n    ");
}

/** Returns the closing line. */
export function closingLine(report: Report): string {
  const skipped = report.skipped.length === 0 ? "" : `, ${report.skipped.length} skipped`;
  return `${report.passed} passed, ${report.failed.length} failed${skipped}`;
}
