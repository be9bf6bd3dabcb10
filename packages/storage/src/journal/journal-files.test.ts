import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { journalFiles, removeUnfinished, segmentPath, snapshotPath, unfinishedOf } from "./journal-files.ts";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "files-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));
const make = (...names: readonly string[]): void => {
  for (const name of names) writeFileSync(join(directory, name), "");
};

test("files are named by a version of sixteen digits", () => {
  expect(segmentPath("/d", 7)).toBe("/d/journal-0000000000000007.log");
  expect(snapshotPath("/d", 2 ** 53 - 1)).toBe("/d/snapshot-9007199254740991.log");
  expect(unfinishedOf("/d/x.log")).toBe("/d/x.log.unfinished");
});

test("files are found by their names, oldest first, and others are left out", () => {
  const [old, recent] = [segmentPath(directory, 9), segmentPath(directory, 10)];
  const snapshot = snapshotPath(directory, 8);
  for (const path of [recent, old, snapshot, unfinishedOf(old), `${recent}.damaged`]) writeFileSync(path, "");
  make("journal-1.log", "xjournal-0000000000000001.log", "journal-00000000000000011.log", "lock-1");
  expect(journalFiles(directory)).toEqual({
    segments: [
      { path: old, number: 9 },
      { path: recent, number: 10 },
    ],
    snapshots: [{ path: snapshot, number: 8 }],
  });
});

test("only unfinished files are removed", () => {
  make("a.log", "a.log.unfinished", "b.unfinished", "unfinished.log");
  removeUnfinished(directory);
  expect(readdirSync(directory).sort()).toEqual(["a.log", "unfinished.log"]);
});
