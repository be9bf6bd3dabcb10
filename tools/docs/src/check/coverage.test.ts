import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { textOf } from "../site/finding.ts";
import { deadAnchors } from "./anchors.ts";
import { browserPath } from "./browser.ts";
import { undocumentedExports, undocumentedFlags, undocumentedMetrics } from "./coverage.ts";
import { byPackage, undescribedExports } from "./undescribed.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "coverage-"));
  for (const folder of ["packages/cli/src", "packages/manager/src"]) mkdirSync(join(root, folder), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

it("reports exports without a heading", () => {
  const entry = { specifier: "@kubewright/a", file: "packages/a/src/index.ts", page: "a" };
  const exported = ["Queue", "keyOf", "gone"].map((name) => ({
    name,
    entry,
    file: "packages/a/src/b.ts",
    line: 3,
    isDescribed: true,
    comment: "",
    isError: false,
  }));
  const pages = new Map([["docs/reference/api/a.md", "# a\n\n### Queue\\<T\\> {#queue}\n\n### keyOf() {#keyof}\n"]]);
  expect(undocumentedExports(exported, pages).map(textOf)).toEqual([
    "packages/a/src/b.ts:3: gone is exported by @kubewright/a but missing in docs/reference/api/a.md",
  ]);
});

it("lists declarations without a comment once, by package, file and line", () => {
  const entry = (specifier: string) => ({ specifier, file: "packages/a/src/index.ts", page: "a" });
  const of = (name: string, line: number, specifier: string, isDescribed = false) => ({
    name,
    entry: entry(specifier),
    file: `packages/${name}/src/x.ts`,
    line,
    isDescribed,
    comment: "",
    isError: false,
  });
  const undescribed = undescribedExports([
    of("b", 9, "@kubewright/b"),
    of("a", 10, "@kubewright/a"),
    of("a", 2, "@kubewright/a"),
    of("a", 2, "kubewright"),
    of("a", 3, "@kubewright/a", true),
  ]);
  expect(byPackage(undescribed)).toEqual([
    "packages/a: 2",
    "  packages/a/src/x.ts:2: a, exported by @kubewright/a, kubewright, has no comment",
    "  packages/a/src/x.ts:10: a, exported by @kubewright/a, has no comment",
    "packages/b: 1",
    "  packages/b/src/x.ts:9: b, exported by @kubewright/b, has no comment",
  ]);
});

it("reports metrics that are not documented", () => {
  writeFileSync(
    join(root, "packages/manager/src/manager-metrics.ts"),
    '\nuse("workqueue_depth", "kubewright_new_total", "words");\n',
  );
  expect(undocumentedMetrics(root, "| `workqueue_depth` | |").map(textOf)).toEqual([
    "packages/manager/src/manager-metrics.ts:2: metric kubewright_new_total is not documented",
  ]);
});

it("reports flags that are not documented", () => {
  writeFileSync(
    join(root, "packages/cli/src/a.ts"),
    'command.option("--port <n>", "").option("--new-one", "").add("--x");\n',
  );
  writeFileSync(
    join(root, "packages/manager/src/manager-flags.ts"),
    'const flags = { "log-level": { type: "string" } } as const;\n',
  );
  expect(undocumentedFlags(root, "  --port <n>  where").map(textOf)).toEqual([
    "packages/cli/src/a.ts:1: flag --new-one is not documented",
    "packages/manager/src/manager-flags.ts:1: flag --log-level is not documented",
  ]);
});

it("finds a browser only if there is one", () => {
  expect(browserPath({}, [join(root, "chromium")])).toBeUndefined();
  writeFileSync(join(root, "chromium"), "");
  expect(browserPath({}, [join(root, "chromium")])).toBe(join(root, "chromium"));
});

it("refuses a browser that does not exist", () => {
  expect(() => browserPath({ KUBEWRIGHT_CHROMIUM: "/nowhere/chromium" })).toThrow(
    'KUBEWRIGHT_CHROMIUM "/nowhere/chromium": no such file',
  );
});

it("reports links to headings that the built site does not have", () => {
  const site = join(root, "site");
  mkdirSync(join(site, "b"), { recursive: true });
  writeFileSync(
    join(site, "a.html"),
    '<h2 id="x&amp;y"></h2><a class="c" href="#x&amp;y">1</a><a href="./b/#two">2</a><a href="/b/c.html#gone">3</a><a href="b/d#x">4</a><a href="https://x#y">5</a>',
  );
  writeFileSync(join(site, "b/index.html"), '<p id="two"></p><a href="../a#x%26y">6</a><a href="#gone">7</a>');
  writeFileSync(join(site, "b/c.html"), "");
  expect(deadAnchors(site).toSorted()).toEqual([
    "a.html: /b/c.html#gone: no such heading",
    "a.html: b/d#x: no such page",
    "b/index.html: #gone: no such heading",
  ]);
});
