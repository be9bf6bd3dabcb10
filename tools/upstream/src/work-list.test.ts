import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { changedLines, workList } from "./work-list.ts";

it("shows the lines that go and come, as often as they do", () => {
  expect(changedLines("a\nb\nb\n", "a\nb\nc\n")).toEqual(["- b", "+ c"]);
  expect(changedLines("a\nb", "b\na")).toEqual(["  (the same lines in another order)"]);
  expect(changedLines("a", "a")).toEqual([]);
  expect(changedLines("", "x".repeat(300))[1]).toHaveLength(201);
});

it("shows what changed in a long line alone", () => {
  const fields = Array.from({ length: 40 }, (_, i) => `${i} field${i}:string`);
  const line = (more: string) => `PodSpec = ${[...fields, more].join(", ")}`;
  expect(changedLines(line("41 old:bool"), line("42 new:bool"))).toEqual([
    "- PodSpec … 41 old:bool",
    "+ PodSpec … 42 new:bool",
  ]);
});

it("takes lines for the same that are of the same, whatever stands before and behind", () => {
  expect(changedLines("  a int 1\n  b int", "  b int 2\n  a int 1")).toEqual(["-   b int", "+   b int 2"]);
  expect(changedLines('{"a": 1}', '{"a": 2}\n')).toContain('- {"a": 1}');
});

it("lists the files that differ from the repository, new ones too", () => {
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
