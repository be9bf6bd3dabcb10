import { crc32 } from "node:zlib";
import { expect, test } from "vitest";
import { decodeRecord, encodeRecord, type JournalRecord } from "./record.ts";

const record: JournalRecord = { type: "end", resourceVersion: 7, count: 2 };

test("a record is a line: checksum, JSON, line feed", () => {
  const json = '{"type":"end","resourceVersion":7,"count":2}';
  const { line, checksum } = encodeRecord(record, 0);
  expect(checksum).toBe(crc32(json));
  expect(line.toString()).toBe(`${checksum.toString(16).padStart(8, "0")} ${json}\n`);
  expect(encodeRecord(record, 5).checksum).toBe(crc32(json, 5));
});

test("a small checksum has eight digits", () => {
  const found = Array.from({ length: 2_000 }, (_, n) => encodeRecord({ ...record, resourceVersion: n }, 0)).find(
    ({ checksum }) => checksum < 0x1000_0000,
  );
  expect(found?.line.toString()).toMatch(/^0[0-9a-f]{7} \{/);
  expect(found && decodeRecord(found.line.subarray(0, -1), 0)?.checksum).toBe(found?.checksum);
});

test.each([0, 5, 0xffff_fffe])("a record is read after the checksum it was written after: %i", (before) => {
  const { line, checksum } = encodeRecord(record, before);
  const written = line.subarray(0, -1);
  expect(decodeRecord(written, before)).toEqual({ record, checksum });
  expect(decodeRecord(written, before + 1)).toBeUndefined();
});

const lineOf = (json: string): string => `${crc32(json).toString(16).padStart(8, "0")} ${json}`;

test.each<readonly [title: string, line: string, isRead: boolean]>([
  ["nothing", "", false],
  ["a checksum alone", lineOf("").trim(), false],
  ["no JSON", lineOf(""), false],
  ["one digit of JSON", lineOf("1"), true],
  ["another character behind the checksum", lineOf("1").replace(" ", "x"), false],
  ["upper case", lineOf("{}").toUpperCase(), false],
  ["other JSON", `${lineOf("1").slice(0, -1)}2`, false],
])("a line of %s", (_title, line, isRead) => {
  expect(decodeRecord(Buffer.from(line), 0) !== undefined).toBe(isRead);
});

test("integers beyond 2^53 and other characters stay as they are", () => {
  const large = { ...record, count: 2n ** 60n, text: "ä\u{1f600}" } as unknown as JournalRecord;
  expect(decodeRecord(encodeRecord(large, 0).line.subarray(0, -1), 0)?.record).toEqual(large);
});
