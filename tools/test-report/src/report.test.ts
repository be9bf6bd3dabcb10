import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { closingLine, readReport } from "./report.ts";

let root: string;
const member = (name: string, results?: object): void => {
  const folder = join(root, "packages", name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name, scripts: { test: "vitest run" } }));
  if (results) writeFileSync(join(folder, "test-results.json"), JSON.stringify(results));
};
const file = (status: string, ...tests: readonly [name: string, status: string][]) => ({
  name: "a.test.ts",
  status,
  message: "",
  assertionResults: tests.map(([fullName, each]) => ({ fullName, status: each })),
});

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "report-"));
  writeFileSync(join(root, "package.json"), JSON.stringify({ workspaces: ["packages/*"] }));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

it("adds up passed, failed and skipped tests of all packages and names the skipped ones", () => {
  member("a", { numPassedTests: 3, numFailedTests: 1, testResults: [file("failed", ["x", "failed"])] });
  member("b", { numPassedTests: 2, numFailedTests: 0, testResults: [file("passed", ["needs a binary", "skipped"])] });
  const report = readReport(root);
  expect(report.skipped).toEqual(["packages/b: needs a binary"]);
  expect(closingLine(report)).toBe("5 passed, 1 failed, 1 skipped");
});

it("counts a test file that did not load, and a package that left no results, as failures", () => {
  member("a", { numPassedTests: 1, numFailedTests: 0, testResults: [file("failed")] });
  member("b");
  expect(closingLine(readReport(root))).toBe("1 passed, 2 failed");
});
