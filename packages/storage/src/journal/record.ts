import { crc32 } from "node:zlib";
import { parseJson, stringifyJson } from "@kubewright/apimachinery";
import type { LoggedChange } from "../contract/change-log.ts";

/**
 * The first line of a file. It contains the version after which the file's records begin, and the checksum of the
 * preceding record (`0` if unknown).
 */
export interface BeginRecord {
  readonly type: "begin";
  readonly format: 2;
  readonly resourceVersion: number;
  readonly follows: number;
}

/** A line in a journal or snapshot. */
export type JournalRecord =
  | BeginRecord
  | LoggedChange
  /** Last line of a complete snapshot: its version, and its number of objects. */
  | { readonly type: "end"; readonly resourceVersion: number; readonly count: number };

/** An encoded record, and its checksum, from which the next record's checksum is computed. */
export interface EncodedRecord {
  readonly line: Buffer;
  readonly checksum: number;
}

/**
 * Encodes a record as a line that consists of a checksum, the record's JSON, and a line feed. Checksums are chained, so
 * each one also covers all preceding records.
 */
export function encodeRecord(record: JournalRecord, before: number): EncodedRecord {
  const json = Buffer.from(stringifyJson(record));
  const checksum = crc32(json, before);
  return { line: Buffer.concat([Buffer.from(`${hexOf(checksum)} `), json, lineFeed]), checksum };
}

/** Decodes a line (without its line feed). Returns `undefined` if this line or an earlier one has been altered. */
export function decodeRecord(
  line: Buffer,
  before: number,
): { readonly record: JournalRecord; readonly checksum: number } | undefined {
  if (line.length < 10 || line[8] !== space) return undefined;
  const json = line.subarray(9);
  const checksum = crc32(json, before);
  if (line.toString("latin1", 0, 8) !== hexOf(checksum)) return undefined;
  return { record: parseJson(json.toString("utf8")) as JournalRecord, checksum };
}

const space = 0x20;
const lineFeed = Buffer.from("\n");
const hexOf = (checksum: number): string => checksum.toString(16).padStart(8, "0");
