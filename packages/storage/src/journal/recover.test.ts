import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { segmentPath, snapshotPath } from "./journal-files.ts";
import { encodeRecord, type JournalRecord } from "./record.ts";
import { recover } from "./recover.ts";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "recover-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const put = (resourceVersion: number): JournalRecord => {
  const name = `o${resourceVersion}`;
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name } };
  return { type: "put", resourceVersion, key: `/core/configmaps/${name}`, object } as unknown as JournalRecord;
};
const end = (resourceVersion: number, count: number): JournalRecord => ({ type: "end", resourceVersion, count });

/** Writes a file that begins with its header, and returns its last checksum. */
function write(path: string, at: number, records: readonly JournalRecord[], follows = 0): number {
  let checksum = 0;
  const all: JournalRecord[] = [{ type: "begin", format: 2, resourceVersion: at, follows }, ...records];
  const lines = all.map((record) => {
    const encoded = encodeRecord(record, checksum);
    checksum = encoded.checksum;
    return encoded.line;
  });
  writeFileSync(path, Buffer.concat(lines));
  return checksum;
}
const segment = (after: number): string => segmentPath(directory, after);
const snapshot = (at: number, ...records: readonly JournalRecord[]): void =>
  void write(snapshotPath(directory, at), at, records);

test("an empty folder begins at the first version", () => {
  expect(recover(directory)).toEqual({
    state: { forgottenThrough: 1, resourceVersion: 1, objects: [], changes: [] },
    last: undefined,
  });
});

test("changes of several files follow each other", () => {
  const checksum = write(segment(1), 1, [put(2), put(3)]);
  const last = write(segment(3), 3, [put(4)], checksum);
  const { state, last: file } = recover(directory);
  expect(state).toMatchObject({ forgottenThrough: 1, resourceVersion: 4, objects: [], changes: [2, 3, 4].map(put) });
  expect(file).toMatchObject({ path: segment(3), checksum: last, isOld: false });
});

test("the newest snapshot is read, and what came after it", () => {
  snapshot(3, put(3), end(3, 1));
  snapshot(5, { ...put(5) }, put(4), end(5, 2));
  write(segment(1), 1, [put(2)]);
  write(segment(5), 5, [put(6)], 77);
  const { state } = recover(directory);
  expect(state).toMatchObject({ forgottenThrough: 5, resourceVersion: 6, changes: [put(6)] });
  expect(state.objects).toHaveLength(2);
});

test("a snapshot without changes after it is enough where their file was given up", () => {
  snapshot(3, end(3, 0));
  const message = `${segment(3)}: the file is missing; restore it from a copy, or mark it as lost (mv ${segment(3)} ${segment(3)}.damaged, or touch the latter) to continue with the preceding records`;
  expect(() => recover(directory)).toThrow(message);
  writeFileSync(`${segment(3)}.damaged`, "");
  expect(recover(directory)).toMatchObject({ state: { resourceVersion: 3 }, last: undefined });
});

test("files that are older than the snapshot do not replace the one after it", () => {
  snapshot(3, end(3, 0));
  write(segment(1), 1, [put(2), put(3)]);
  expect(() => recover(directory)).toThrow(`${segment(3)}: the file is missing`);
});

test.each<readonly [title: string, records: readonly JournalRecord[]]>([
  ["no end", [put(3)]],
  ["no records", []],
  ["fewer objects than it had", [put(3), end(3, 2)]],
  ["more objects than it had", [put(3), put(2), end(3, 1)]],
  ["something behind its end", [end(3, 0), put(3)]],
])("a snapshot with %s is refused", (_title, records) => {
  snapshot(3, ...records);
  expect(() => recover(directory)).toThrow(
    `${snapshotPath(directory, 3)}: the snapshot is not complete; restore the file from a copy`,
  );
});

test.each<readonly [title: string, records: readonly JournalRecord[], version: number, line: number]>([
  ["a version left out", [put(2), put(4)], 4, 3],
  ["a version twice", [put(2), put(2)], 2, 3],
  ["an end", [end(2, 0)], 2, 2],
])("a file of changes with %s is refused", (_title, records, version, line) => {
  write(segment(1), 1, records);
  const wanted = line === 3 ? 3 : 2;
  expect(() => recover(directory)).toThrow(
    new RegExp(
      `line ${line}, at byte \\d+, has version ${version} and should have ${wanted}: records are missing or out of order; restore the file`,
    ),
  );
});

test("a file that is missing between two is named by its changes", () => {
  write(segment(1), 1, [put(2)]);
  write(segment(4), 4, [put(5)]);
  expect(() => recover(directory)).toThrow(
    `${directory}: changes 3 to 4 are missing before ${segment(4)}; restore the files before it from a copy, or move it and those after it aside (mv ${segment(4)} ${segment(4)}.damaged) to continue with the preceding records`,
  );
});

test("an empty file is refused, and one that was torn in its first line is written on", () => {
  writeFileSync(segment(1), "");
  expect(() => recover(directory)).toThrow(`${segment(1)}: the file is empty, and its contents are lost; restore it`);
  writeFileSync(segment(1), "abc");
  expect(recover(directory)).toMatchObject({ state: { resourceVersion: 1 }, last: { wholeBytes: 0, isOld: true } });
});

test("a file that does not follow the one before it is refused", () => {
  const checksum = write(segment(1), 1, [put(2)]);
  write(segment(2), 2, [put(3)], checksum + 1);
  expect(() => recover(directory)).toThrow(
    `${segment(2)}: the file does not continue ${segment(1)}, which was changed or replaced; restore both files from a copy`,
  );
});
