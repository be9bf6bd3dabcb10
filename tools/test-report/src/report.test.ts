import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { closingLine, failureLines, readReport, skippedLines } from "./report.ts";
import type { Results } from "./results.ts";

let root: string;
const member = (name: string, results?: object): void => {
  const folder = join(root, "packages", name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name, scripts: { test: "vitest run" } }));
  if (results) writeFileSync(join(folder, "test-results.json"), JSON.stringify(results));
};
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "report-"));
  writeFileSync(join(root, "package.json"), JSON.stringify({ workspaces: ["packages/*"] }));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

it("adds up the tests of all packages and lists skipped ones", () => {
  member("a", { passed: 3, skipped: [], failed: [{ name: "x", message: "expected 1 to be 2" }] });
  const skipped = ["s > c", "s > d", "e"].map((name) => ({ name, reason: "needs go" }));
  member("b", {
    passed: 2,
    skipped: [...skipped, { name: "s > f", reason: "needs root" }, { name: "g" }],
    failed: [],
  });
  const report = readReport(root);
  expect(skippedLines(report.skipped)).toEqual([
    "not run: packages/b: s (2 tests): needs go",
    "not run: packages/b: e: needs go",
    "not run: packages/b: s: needs root",
    "not run: packages/b: g: no reason",
  ]);
  expect(report.failed.map(failureLines)).toEqual([
    "failed: packages/a: x\n    expected 1 to be 2",
    "failed: packages/b: g\n    skipped without a reason; pass { meta: { needs } }",
  ]);
  expect(closingLine(report)).toBe("5 passed, 2 failed, 5 skipped");
});

it("counts a package without results as a failure", () => {
  member("a", { passed: 1, skipped: [], failed: [] });
  member("b");
  expect(closingLine(readReport(root))).toBe("1 passed, 1 failed");
});

it("truncates the message of a failure after twelve lines", () => {
  expect(failureLines({ name: "x", message: "line\n".repeat(20) }).split("\n")).toHaveLength(14);
});

it("reports failures in tests, in hooks, while loading files and outside of tests", () => {
  member("a");
  const folder = join(root, "packages", "a");
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  write("package.json", JSON.stringify({ name: "a", type: "module" }));
  const reporter = JSON.stringify(join(import.meta.dirname, "results.ts"));
  write(
    "vitest.config.ts",
    `import { ResultsReporter } from ${reporter}; export default { test: { globals: true, reporters: [new ResultsReporter()] } };`,
  );
  write(
    "hook.test.ts",
    `describe("x", () => { beforeAll(() => { throw new Error("no hook"); }); it("a", () => {}); });`,
  );
  write("load.test.ts", `import "./missing.ts"; it("a", () => {});`);
  write(
    "one.test.ts",
    `it("a", () => {}); it.skip("b", { meta: { needs: "go" } }, () => {}); it("c", () => { throw new Error("no c"); });`,
  );
  write("stray.test.ts", `it("a", () => { Promise.reject(new Error("nobody catches")); });`);
  const vitest = join(import.meta.dirname, "../../../node_modules/vitest/vitest.mjs");
  expect(spawnSync(process.execPath, [vitest, "run"], { cwd: folder }).status).toBe(1);
  const results = JSON.parse(readFileSync(join(folder, "test-results.json"), "utf8")) as Results;
  expect(results).toMatchObject({
    passed: 2,
    skipped: [
      { name: "x > a", reason: "a hook failed" },
      { name: "b", reason: "needs go" },
    ],
  });
  expect(results.failed.map(({ name, message }) => `${name}: ${message.split("\n")[0]}`)).toEqual([
    "hook.test.ts: around x: no hook",
    expect.stringContaining("load.test.ts: "),
    "one.test.ts: c: no c",
    "outside of tests: nobody catches",
  ]);
}, 60_000);
