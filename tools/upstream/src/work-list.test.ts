import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { changedLines, workList } from "./work-list.ts";

it("shows removed and added lines, repeated ones too", () => {
  expect(changedLines("a\nb\nb\n", "a\nb\nc\n")).toEqual(["- b", "+ c"]);
  expect(changedLines("a\nb", "b\na")).toEqual(["  (same lines in another order)"]);
  expect(changedLines("a", "a")).toEqual([]);
  expect(changedLines("", "x".repeat(300))[1]).toHaveLength(201);
});

it("shows only the changed parts of a long line", () => {
  const fields = Array.from({ length: 40 }, (_, i) => `${i} field${i}:string`);
  const line = (more: string) => `PodSpec = ${[...fields, more].join(", ")}`;
  expect(changedLines(line("41 old:bool"), line("42 new:bool"))).toEqual([
    "- PodSpec … 41 old:bool",
    "+ PodSpec … 42 new:bool",
  ]);
});

it("matches lines that begin with the same name", () => {
  expect(changedLines("  a int 1\n  b int", "  b int 2\n  a int 1")).toEqual(["-   b int", "+   b int 2"]);
  expect(changedLines('{"a": 1}', '{"a": 2}\n')).toContain('- {"a": 1}');
});

it("lists the files that differ from the repository, including new ones", () => {
  const root = mkdtempSync(join(tmpdir(), "work-list-"));
  try {
    writeFileSync(join(root, "same.ts"), "a\n");
    writeFileSync(join(root, "other.ts"), "a\n");
    const files = [
      { path: "same.ts", text: "a\n" },
      { path: "other.ts", text: "b\n" },
      { path: "new.ts", text: "c" },
    ];
    expect(workList(root, files)).toEqual(["other.ts\n  - a\n  + b", "new.ts\n  - \n  + c"]);
  } finally {
    rmSync(root, { recursive: true });
  }
});
