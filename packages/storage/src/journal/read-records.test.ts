import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { stringifyJson } from "@kubewright/apimachinery";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readRecords } from "./read-records.ts";
import { encodeRecord, type JournalRecord } from "./record.ts";

let directory = "";
let path = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "records-"));
  path = join(directory, "x.log");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const begin: JournalRecord = { type: "begin", format: 2, resourceVersion: 4, follows: 9 };
const end = (resourceVersion: number): JournalRecord => ({ type: "end", resourceVersion, count: 0 });

function written(...records: readonly JournalRecord[]): {
  readonly lines: readonly Buffer[];
  readonly checksum: number;
} {
  let checksum = 0;
  const lines = records.map((record) => {
    const encoded = encodeRecord(record, checksum);
    checksum = encoded.checksum;
    return encoded.line;
  });
  return { lines, checksum };
}
const read = (...bytes: readonly Buffer[]): ReturnType<typeof readRecords> => {
  writeFileSync(path, Buffer.concat([...bytes]));
  return readRecords(path);
};
const oldLine = (record: JournalRecord): Buffer => {
  const json = stringifyJson(record);
  return Buffer.from(`${crc32(json).toString(16).padStart(8, "0")} ${json}\n`);
};
const damaged = (line: number, byte: number): string =>
  `${path}: the record in line ${line}, at byte ${byte}, is damaged, or one before it is missing; restore the file from a copy, or truncate it there (truncate -s ${byte} ${path}) to continue with the preceding records`;

test("records are read with their places, and the checksum that the next file has to follow", () => {
  const { lines, checksum } = written(begin, end(5), end(6));
  const [first, second] = [lines[0]?.length ?? 0, lines[1]?.length ?? 0];
  expect(read(...lines)).toEqual({
    ...{ begin, checksum, wholeBytes: Buffer.concat([...lines]).length, isTorn: false },
    records: [
      { record: end(5), line: 2, byte: first },
      { record: end(6), line: 3, byte: first + second },
    ],
  });
});

test("an empty file has nothing in it", () => {
  expect(read()).toEqual({ begin: undefined, records: [], wholeBytes: 0, checksum: 0, isTorn: false });
});

test("records of a file without a beginning vouch for themselves alone", () => {
  const lines = [oldLine(end(5)), oldLine(end(6))];
  expect(read(...lines)).toMatchObject({
    begin: undefined,
    checksum: 0,
    isTorn: false,
    records: [{ line: 1 }, { line: 2 }],
  });
  expect(read(...lines.toReversed()).records).toHaveLength(2);
});

test("a last line that was not written to its end is passed over", () => {
  const { lines } = written(begin, end(5));
  const [first = Buffer.alloc(0), second = Buffer.alloc(0)] = lines;
  for (const length of [1, 9, second.length - 1])
    expect(read(first, second.subarray(0, length))).toMatchObject({
      ...{ begin, records: [], wholeBytes: first.length, isTorn: true },
    });
  expect(read(first.subarray(0, 5))).toMatchObject({ begin: undefined, wholeBytes: 0, isTorn: true });
});

test("a damaged record is refused, and one whose line feed is another byte", () => {
  const { lines } = written(begin, end(5), end(6));
  const [first = Buffer.alloc(0), second = Buffer.alloc(0), third = Buffer.alloc(0)] = lines;
  expect(() => read(first, third)).toThrow(damaged(2, first.length));
  expect(() => read(second, third)).toThrow(damaged(1, 0));
  expect(() => read(first, second, third.subarray(0, -1), Buffer.from("x"))).toThrow(
    damaged(3, first.length + second.length),
  );
  expect(() => read(first, Buffer.from("\n"))).toThrow(damaged(2, first.length));
});

test("a beginning of a later format, or one that is not first, is refused", () => {
  const later = { ...begin, format: 3 } as unknown as JournalRecord;
  const message = `${path}: the file has a newer format than this program supports; use the program that wrote the file`;
  expect(() => read(...written(later).lines)).toThrow(message);
  expect(() => read(...written(begin, begin).lines)).toThrow(message);
});
