import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, matchesGlob } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { root as workspace } from "../workspace.ts";
import { textOf } from "./finding.ts";
import { unknownImports } from "./imports.ts";
import { anchorsOf, deadLinks, redirects, withoutWaysOut } from "./links.ts";
import { writtenPages } from "./pages.ts";
import { linkOf, sidebarOf, sidebarsOf } from "./sidebar.ts";

let root: string;
const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "site-"));
  write(
    "examples/a/main.ts",
    "const before = 0;\n  // #region shown\n  const a = 1;\n    f(a);\n  // #endregion shown\n",
  );
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const findings = () => writtenPages(root).findings.map(textOf);

it("includes regions of programs without indentation and markers", () => {
  write("docs/guide/a.md", "# A\n\n<<< ../../examples/a/main.ts#shown\n");
  const { pages, findings } = writtenPages(root);
  expect(findings).toEqual([]);
  expect(pages.get("docs/guide/a.md")).toBe("# A\n\n```ts\nconst a = 1;\n  f(a);\n```\n");
});

it("reports a missing region or file", () => {
  write("docs/guide/a.md", "# A\n\n<<< ../../examples/a/main.ts#gone\n<<< ../../examples/b.ts\n<<< two words\n");
  expect(findings()).toEqual([
    'docs/guide/a.md:3: examples/a/main.ts: no region "gone"',
    "docs/guide/a.md:4: examples/b.ts: no such file",
    'docs/guide/a.md:5: "<<< two words": expected <<< path#region, relative to the page',
  ]);
});

it("does not replace regions in a fence and refuses files outside of the workspace", () => {
  write("docs/guide/a.md", "# A\n\n```text\n<<< ../../examples/b.ts\n```\n<<< ../../../passwd\n");
  expect(findings()).toEqual(["docs/guide/a.md:6: ../passwd: no such file"]);
});

it("refuses programs that are not tested", () => {
  write("docs/start/a.md", "# A\n\n```ts\nlet a = 1;\n```\n");
  expect(findings()).toEqual([expect.stringContaining("docs/start/a.md:3: this program is not tested")]);
});

it("reports code that a desktop screen cuts off, but not commands, which wrap", () => {
  const long = (length: number): string => "x".repeat(length);
  write("examples/a/main.go", `\t${long(88)}\n\t${long(89)}\n`);
  const yaml = `\`\`\`yaml\n${long(90)}\n${long(91)}\n\`\`\``;
  write(
    "docs/guide/a.md",
    `# A\n\n${"y".repeat(91)}\n${yaml}\n\`\`\`sh\n${long(91)}\n\`\`\`\n<<< ../../examples/a/main.go\n`,
  );
  expect(findings()).toEqual([
    `docs/guide/a.md:6: a line of code has 91 characters, but 90 fit: ${long(91)}`,
    `docs/guide/a.md:1: a line of code has 91 characters, but 90 fit: ${long(89)}`,
  ]);
});

it("reports imports that are no longer exported", () => {
  write("examples/a/program.ts", 'import { Client as C, Gone } from "kubewright";\nimport { x } from "./x.ts";\n');
  const text =
    '# A\n\n```ts\nimport { Client } from "kubewright";\nimport { Renamed, type Client as D } from "kubewright";\nimport "@kubewright/nothing";\n```\n```ts src/a.ts\nimport { y } from "@kubewright/lost";\n```\n<<< ../examples/a/program.ts\n`````text\n```ts\nimport { Shown } from "kubewright";\n```\n`````\n';
  const exported = [{ name: "Client", entry: { specifier: "kubewright", file: "", page: "" } }];
  expect(unknownImports(root, "docs/a.md", text, exported).map(textOf)).toEqual([
    "docs/a.md:5: kubewright does not export the imported name Renamed",
    'docs/a.md:9: no package has the imported entry "@kubewright/lost"',
    "docs/a.md:11: kubewright does not export the imported name Gone",
  ]);
});

it("reports dead links", () => {
  const text =
    "# A\n[b](b.md#two-words) [c](c.md) [d](b.md#three) [e](../examples/a/main.ts) [f](../examples/z.ts) [g](#a) [h](https://x)\n`````\n[i](i.md)\n`````\n";
  const pages = new Map([
    ["docs/a.md", text],
    ["docs/b.md", "# B\n## Two words\n"],
  ]);
  expect(deadLinks(root, pages, "docs/a.md").map(textOf)).toEqual([
    "docs/a.md:2: c.md: no such page or file",
    "docs/a.md:2: b.md#three: docs/b.md has no such heading",
    "docs/a.md:2: ../examples/z.ts: no such page or file",
  ]);
  expect(withoutWaysOut(root, pages, "docs/a.md")).toContain("e (`examples/a/main.ts`) ");
});

it("reports dead links of buttons on the home page", () => {
  const text = "---\nhero:\n  actions:\n    - link: /b\n    - link: /start/gone\n---\nlink: /c\n[b](/b)\n";
  const pages = new Map([
    ["docs/index.md", text],
    ["docs/b.md", "# B"],
  ]);
  expect(deadLinks(root, pages, "docs/index.md").map(textOf)).toEqual([
    "docs/index.md:5: /start/gone: no such page or file",
  ]);
});

it("names headings like the site", () => {
  expect([...anchorsOf("# The `whole` program, again\n## Same\n## Same\n## 1. One\n")]).toEqual([
    "the-whole-program-again",
    "same",
    "same-1",
    "_1-one",
  ]);
});

it("shows next to a page the sections of its part of the site", () => {
  const paths = ["start/concepts", "examples/index", "guide/kinds", "plane/index", "sdewan/index", "reference/api"];
  const pages = new Map(paths.map((path) => [`docs/${path}.md`, "# Title"] as const));
  const sidebars = Object.entries(sidebarsOf(pages)).map(
    ([prefix, sections]) => [prefix, sections.map(({ text }) => text)] as const,
  );
  expect(sidebars).toEqual([
    ["/guide/", ["Model", "Test"]],
    ["/plane/", ["Model", "Test"]],
    ["/reference/", ["Reference"]],
    ["/sdewan/", ["SD-EWAN operator"]],
    ["/contributing/", []],
    ["/adr/", []],
    ["/", ["Start", "Examples"]],
  ]);
});

it("places each page in a section, in reading order, and reports pages without one", () => {
  const pages = new Map([
    ["docs/index.md", "# Home"],
    ["docs/guide/webhooks.md", "# Webhooks"],
    ["docs/guide/kinds.md", "# Kinds"],
    ["docs/sdewan/b.md", "# B"],
    ["docs/sdewan/a.md", "# A"],
    ["docs/sdewan/index.md", "# Operator"],
    ["docs/sdewan/kinds/a.md", "# `Kind`"],
    ["docs/reference/api/client/kinds.md", "# @kubewright/client/kinds"],
  ]);
  const items = Object.fromEntries(sidebarOf(pages).map(({ text, items }) => [text, items]));
  const links = Object.fromEntries(Object.entries(items).map(([text, items]) => [text, items.map(({ link }) => link)]));
  expect(links).toMatchObject({
    Model: ["/guide/kinds", "/guide/webhooks"],
    "SD-EWAN operator": ["/sdewan/", "/sdewan/a", "/sdewan/b"],
    "SD-EWAN kinds": ["/sdewan/kinds/a"],
  });
  expect([items["SD-EWAN kinds"], items.API]).toMatchObject([[{ text: "Kind" }], [{ text: "client/kinds" }]]);
  expect(linkOf("docs/index.md")).toBe("/");
  expect(() => sidebarOf(new Map([["docs/guide/new.md", "# New"]]))).toThrow("docs/guide/new.md: not in any section");
});

it("redirects from former addresses, only to existing pages", () => {
  const pages = new Map([
    ["docs/guide/a.md", "# A"],
    ["docs/guide/b.md", "# B"],
  ]);
  const files = redirects(pages, { "/guide/01-a": "/guide/a" });
  expect([...files.keys()]).toEqual(["guide/01-a.html"]);
  expect(files.get("guide/01-a.html")).toContain('url=/guide/a"');
  expect(() => redirects(pages, { "/guide/01-a": "/guide/c" })).toThrow("redirects to /guide/c, which is not a page");
  expect(() => redirects(pages, { "/guide/b": "/guide/a" })).toThrow("/guide/b: redirects to /guide/a, but is a page");
});

it("builds the site again when a file changes that a page includes", () => {
  const { nx } = JSON.parse(readFileSync(join(workspace, "packages/docs/package.json"), "utf8"));
  const inputs: readonly string[] = nx.targets.build.inputs;
  const globs = inputs.map((input) => input.replace("{workspaceRoot}/", ""));
  const included = globSync("docs/**/*.md", { cwd: workspace }).flatMap((page) =>
    Array.from(readFileSync(join(workspace, page), "utf8").matchAll(/^<<< ([^\s#]+)/gm), ([, path = ""]) =>
      join(dirname(page), path),
    ),
  );
  expect(included.length).toBeGreaterThan(20);
  expect(included.filter((file) => !globs.some((glob) => matchesGlob(file, glob)))).toEqual([]);
});
