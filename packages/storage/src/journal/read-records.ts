import { readFileSync } from "node:fs";
import { type BeginRecord, decodeRecord, type JournalRecord } from "./record.ts";

/** Contents of a journal or snapshot file. */
export interface ReadRecords {
  /** First record of the file. Absent if the file has the old format, in which checksums are not chained. */
  readonly begin: BeginRecord | undefined;
  readonly records: readonly NumberedRecord[];
  /** Total size of the complete records, in bytes. Data after them was being written when the process ended. */
  readonly wholeBytes: number;
  /** Checksum of the last complete record. */
  readonly checksum: number;
  /** True if data follows the complete records. */
  readonly isTorn: boolean;
}

interface NumberedRecord {
  readonly record: Exclude<JournalRecord, BeginRecord>;
  /** Line number, counted from 1. */
  readonly line: number;
  readonly byte: number;
}

/**
 * Reads the records in a file. Ignores an incomplete last line, but throws for any other damage, because acknowledged
 * writes would otherwise be lost silently.
 *
 * @throws {Error} if a record is damaged; the message contains the file, the position and a remedy
 */
export function readRecords(path: string): ReadRecords {
  const bytes = readFileSync(path);
  const records: NumberedRecord[] = [];
  let begin: BeginRecord | undefined;
  let [start, checksum] = [0, 0];
  for (let line = 1; start < bytes.length; line++) {
    const end = bytes.indexOf(0x0a, start);
    const before = line === 1 || begin ? checksum : 0;
    if (end < 0) {
      // the record is complete, but there is another byte instead of its line feed
      if (decodeRecord(bytes.subarray(start, -1), before)) throw damaged(path, line, start);
      break;
    }
    const decoded = decodeRecord(bytes.subarray(start, end), before);
    if (!decoded) throw damaged(path, line, start);
    const { record } = decoded;
    if (record.type !== "begin") records.push({ record, line, byte: start });
    else if (line === 1 && record.format === 2) begin = record;
    else
      throw new Error(
        `${path}: the file has a newer format than this program supports; use the program that wrote the file`,
      );
    checksum = decoded.checksum;
    start = end + 1;
  }
  return { begin, records, wholeBytes: start, checksum: begin ? checksum : 0, isTorn: start < bytes.length };
}

const damaged = (path: string, line: number, byte: number): Error =>
  new Error(
    `${path}: the record in line ${line}, at byte ${byte}, is damaged, or one before it is missing; ${remedyAt(path, byte)}`,
  );

/** Returns instructions for repairing a file that is valid only up to the given byte. */
export const remedyAt = (path: string, byte: number): string =>
  `restore the file from a copy, or truncate it there (truncate -s ${byte} ${path}) to continue with the preceding records`;
