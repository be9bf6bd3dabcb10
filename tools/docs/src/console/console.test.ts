import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { textOf } from "../site/finding.ts";
import { consoleBlocks } from "./blocks.ts";
import { differenceOf } from "./compare.ts";
import { consolesOf, isOnPath } from "./consoles.ts";
import { runPage } from "./run-page.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "console-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const page = (text: string) => consoleBlocks("docs/a.md", text);
const found = async (text: string, timeoutMs = 10_000) => {
  const { blocks, findings } = page(text);
  expect(findings).toEqual([]);
  const env = { PATH: process.env.PATH ?? "", HOME: folder };
  return (await runPage(blocks, { folder, env, timeoutMs })).map(textOf);
};

it("reads commands, continuation lines and output", () => {
  const text = "# A\n\n```console\n$ cat <<END\n> one\n> END\none\n$ true\n```\n```text\n```console\n```\n";
  expect(page(text).blocks).toEqual([
    {
      file: "docs/a.md",
      line: 3,
      stays: false,
      isHidden: false,
      commands: [
        { line: 4, text: "cat <<END\none\nEND", expected: ["one"] },
        { line: 8, text: "true", expected: [] },
      ],
    },
  ]);
});

it("reads comments about blocks", () => {
  const text =
    "<!-- console\n$ cd a\n-->\n\n<!-- console: stays -->\n\n```console\n$ b\n```\n\n<!-- console: not run: needs a cloud -->\n```console\n$ c\n```\n";
  expect(page(text).blocks).toMatchObject([
    { line: 1, isHidden: true, commands: [{ line: 2, text: "cd a" }] },
    { line: 7, stays: true, isHidden: false },
    { line: 12, notRun: "needs a cloud" },
  ]);
  expect(page(`${text}\n<!-- console: page not run: installs -->\n`).blocks.map(({ notRun }) => notRun)).toEqual([
    "installs",
    "installs",
    "installs",
  ]);
});

it("reports comments and blocks that it cannot read", () => {
  const text =
    "<!-- console: sometimes -->\n```console\nno command\n```\n<!-- console: not run: x -->\nwords\n <!-- console: stays -->\n```console\n```\n";
  expect(page(text).findings.map(textOf)).toEqual([
    expect.stringContaining('docs/a.md:1: "<!-- console: sometimes -->": expected <!-- console: stays -->'),
    'docs/a.md:2: a console block must begin with "$ " and a command',
    "docs/a.md:6: no console block follows this comment",
    expect.stringContaining('docs/a.md:7: " <!-- console: stays -->": expected'),
    "docs/a.md:8: a console block without a command",
  ]);
});

it.each([
  [["pod/web   1/1   3m2s"], ["pod/web 1/1 17s"]],
  [["web-5d7f8c9b6d-x2x4z Running"], ["web-6b8f8c9b6d-abcde Running"]],
  [["https://127.0.0.1:6443 (0.3 s)"], ["https://127.0.0.1:41234 (1.25 s)"]],
  [["uid: 01234567-89ab-cdef-0123-456789abcdef"], ["uid: f1234567-89ab-cdef-0123-456789abcdef"]],
  [["at 2026-01-01T00:00:00Z"], ["at 2027-02-03T04:05:06.789Z"]],
  [["a … d … f"], ["a b c d e f", ""]],
  [
    ["…", "two", "…"],
    ["one", "two"],
  ],
  [["…"], []],
])("accepts for %j the output %j", (expected, actual) => {
  expect(differenceOf(expected, actual)).toBeUndefined();
});

it.each([
  [["one", "two", "three"], ["one", "2", "three"], "- two\n+ 2"],
  [["one"], ["one", "two"], "+ two"],
  [["one", "two"], ["one"], "- two"],
  [["a … c"], ["a b d"], "- a … c\n+ a b d"],
  [["aa…aa"], ["aaa"], "- aa…aa\n+ aaa"],
  [["a…b…b"], ["a b"], "- a…b…b\n+ a b"],
  [["…", "two"], ["two", "one"], "- …\n- two\n+ two\n+ one"],
  [["web 1/1 5s"], ["web 0/1 5s"], "- web 1/1 5s\n+ web 0/1 5s"],
  [["v1.30"], ["v1.31"], "- v1.30\n+ v1.31"],
])("shows the difference of %j and %j", (expected, actual, difference) => {
  expect(differenceOf(expected, actual)).toBe(difference);
});

it("keeps the working directory and variables between blocks, and compares both streams", async () => {
  const text =
    "<!-- console\n$ mkdir shop; echo unseen\n-->\n```console\n$ cd shop && export WHO=me\n```\n```console\n$ echo $WHO in $(basename $PWD); echo again >&2\nme in shop\nagain\n$ cat <<'END'\n> it's $WHO\n> END\nit's $WHO\n```\n";
  expect(await found(text)).toEqual([]);
});

it("reports where the output differs from the page, and how", async () => {
  const text =
    "```console\n$ echo one; echo 2\none\ntwo\n```\n\n```console\n$ echo unexpected\n$ false\n$ (echo shown; exit 3)\nshown\n```\n";
  expect(await found(text)).toEqual([
    "docs/a.md:2: `echo one; echo 2` printed something else:\n- two\n+ 2",
    "docs/a.md:8: `echo unexpected` printed something else:\n+ unexpected",
    "docs/a.md:9: `false` ended with 1, which the page does not show",
  ]);
});

it("reports a hidden command that fails, and stops there", async () => {
  expect(
    await found("<!-- console\n$ echo why; exit_now 2>/dev/null; false\n-->\n```console\n$ echo a\nb\n```\n"),
  ).toEqual(["docs/a.md:2: `echo why; exit_now 2>/dev/null; false` ended with 1: why"]);
});

it("reports a command that does not end or that ends the shell", async () => {
  expect(await found("```console\n$ sleep 60\n$ echo never\n```\n", 300)).toEqual([
    expect.stringContaining("docs/a.md:2: `sleep 60` did not end within 0.3 s"),
  ]);
  expect(await found("```console\n$ exit 4\n```\n")).toEqual([
    expect.stringContaining("docs/a.md:2: `exit 4` ended the shell"),
  ]);
});

it("keeps a command that stays running until the end of the page", async () => {
  const text =
    "<!-- console: stays -->\n```console\n$ echo $$ > pid; while true; do echo up; sleep 0.05; done\nup\n```\n```console\n$ kill -0 $(cat pid)\n$ jobs -r | wc -l\n1\n```\n";
  expect(await found(text)).toEqual([]);
  expect(await found("<!-- console: stays -->\n```console\n$ echo down; sleep 60\nup\n```\n", 300)).toEqual([
    "docs/a.md:3: `echo down; sleep 60` printed something else:\n- up\n+ down",
  ]);
});

it("does not run a block that is marked as not run", async () => {
  expect(await found("<!-- console: not run: needs a cloud -->\n```console\n$ false\n```\n")).toEqual([]);
});

it("lists blocks to run, blocks not to run with reasons, and pages whose programs are missing", () => {
  const write = (path: string, text: string): void => writeFileSync(join(folder, path), text);
  for (const path of ["docs/adr", "docs/guide"]) mkdirSync(join(folder, path), { recursive: true });
  write("README.md", "```console\n$ true\n```\n<!-- console: not run: needs a cloud -->\n```console\n$ b\n```\n");
  write("docs/adr/1.md", "```console\n$ c\n```\n");
  write("docs/guide/1.md", "<!-- console\n$ kubectl apply -f x\n-->\n```console\n$ d\n```\n");
  write("docs/guide/2.md", "<!-- console\n$ nothing is shown\n-->\n");
  write("docs/guide/3.md", "<!-- console: never -->\n");
  const consoles = consolesOf(folder, (program) => program !== "kubectl");
  expect(consoles.pages.map((blocks) => blocks.map(({ file, line }) => `${file}:${line}`))).toEqual([["README.md:1"]]);
  expect(consoles.notRun).toEqual([
    "not run: README.md:5: needs a cloud",
    "not run: docs/adr/1.md:1: examples in a decision record are sketches",
  ]);
  expect(consoles.skipped).toEqual(["skipped: docs/guide/1.md: needs kubectl, which is not on PATH"]);
  expect(consoles.findings.map(textOf)).toEqual([expect.stringContaining("docs/guide/3.md:1: ")]);
  expect(isOnPath("bash")).toBe(true);
  expect(isOnPath("no-such-program")).toBe(false);
});
