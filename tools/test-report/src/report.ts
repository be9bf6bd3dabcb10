import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** What one package's test run said, as far as we read it. */
interface Results {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

export interface Report {
  readonly passed: number;
  readonly failed: number;
  /** Tests that did not run, as `package: test`. */
  readonly skipped: readonly string[];
  /** Packages with a `test` script that left no results. */
  readonly silent: readonly string[];
}

/** The folders of the workspace's packages that have a `test` script, relative to `root`. */
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

/** Adds up the `test-results.json` of every package. A file that could not even be loaded counts as one failed test. */
export function readReport(root: string): Report {
  let [passed, failed] = [0, 0];
  const [skipped, silent]: [string[], string[]] = [[], []];
  for (const folder of testedFolders(root)) {
    const path = join(root, folder, "test-results.json");
    if (!existsSync(path)) {
      silent.push(folder);
      continue;
    }
    const results = JSON.parse(readFileSync(path, "utf8")) as Results;
    passed += results.numPassedTests;
    failed += results.numFailedTests;
    for (const file of results.testResults) {
      if (file.status === "failed" && !file.assertionResults.some((each) => each.status === "failed")) failed += 1;
      for (const each of file.assertionResults)
        if (each.status !== "passed" && each.status !== "failed") skipped.push(`${folder}: ${each.fullName}`);
    }
  }
  return { passed, failed: failed + silent.length, skipped, silent };
}

/** The plain closing line. */
export function closingLine(report: Report): string {
  const skipped = report.skipped.length === 0 ? "" : `, ${report.skipped.length} skipped`;
  return `${report.passed} passed, ${report.failed} failed${skipped}`;
}
