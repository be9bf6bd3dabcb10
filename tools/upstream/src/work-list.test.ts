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
