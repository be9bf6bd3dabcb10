import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { textOf } from "../site/finding.ts";
import { browserPath } from "./browser.ts";
import { undocumentedExports, undocumentedFlags, undocumentedMetrics } from "./coverage.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "coverage-"));
  for (const folder of ["packages/cli/src", "packages/manager/src/metrics"])
    mkdirSync(join(root, folder), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

it("says which export has no heading", () => {
  const entry = { specifier: "@kubewright/a", file: "packages/a/src/index.ts", page: "a" };
  const exported = ["Queue", "keyOf", "gone"].map((name) => ({
    name,
    entry,
    file: "packages/a/src/b.ts",
    line: 3,
    isDescribed: true,
  }));
  const pages = new Map([["docs/reference/api/a.md", "# a\n\n### Queue\\<T\\>\n\n### keyOf()\n"]]);
  expect(undocumentedExports(exported, pages).map(textOf)).toEqual([
    "packages/a/src/b.ts:3: gone is exported by @kubewright/a, and docs/reference/api/a.md says nothing of it",
  ]);
});

it("says which metric is on no page", () => {
  writeFileSync(
    join(root, "packages/manager/src/metrics/a.ts"),
    '\nuse("workqueue_depth", "kubewright_new_total", "words");\n',
  );
  expect(undocumentedMetrics(root, "| `workqueue_depth` | |").map(textOf)).toEqual([
    "packages/manager/src/metrics/a.ts:2: the metric kubewright_new_total is on no page",
  ]);
});

it("says which flag is on no page", () => {
  writeFileSync(
    join(root, "packages/cli/src/a.ts"),
    'command.option("--port <n>", "").option("--new-one", "").add("--x");\n',
  );
  writeFileSync(
    join(root, "packages/manager/src/manager-flags.ts"),
    'const flags = { "log-level": { type: "string" } } as const;\n',
  );
  expect(undocumentedFlags(root, "  --port <n>  where").map(textOf)).toEqual([
    "packages/cli/src/a.ts:1: the flag --new-one is on no page",
    "packages/manager/src/manager-flags.ts:1: the flag --log-level is on no page",
  ]);
});

it("refuses a browser that is not there", () => {
  expect(() => browserPath({ KUBEWRIGHT_CHROMIUM: "/nowhere/chromium" })).toThrow(
    'KUBEWRIGHT_CHROMIUM "/nowhere/chromium": there is no such file',
  );
});
