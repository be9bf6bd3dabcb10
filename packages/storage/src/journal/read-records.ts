import { readFileSync } from "node:fs";
import { type BeginRecord, decodeRecord, type JournalRecord } from "./record.ts";

/** What a file holds. */
export interface ReadRecords {
  /** Absent in files of before there was one: their records vouch for themselves alone. */
  readonly begin: BeginRecord | undefined;
  readonly records: readonly NumberedRecord[];
  /** Bytes of whole records; what follows was being written when the process ended. */
  readonly wholeBytes: number;
  /** Of the last record. */
  readonly checksum: number;
  /** Whether something follows the whole records. */
  readonly isTorn: boolean;
}

interface NumberedRecord {
  readonly record: Exclude<JournalRecord, BeginRecord>;
  /** From 1 on. */
  readonly line: number;
  readonly byte: number;
}

/**
 * Reads the records of a file. Only a last line that was not written to its end is passed over; whatever else is not as it was
 * written is refused, since acknowledged writes would be lost without a word.
 *
 * @throws {Error} naming file and position of a damaged record, and what can be done
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
      // all of the record is there, and what should be a line feed is another byte
      if (decodeRecord(bytes.subarray(start, -1), before)) throw damaged(path, line, start);
      break;
    }
    const decoded = decodeRecord(bytes.subarray(start, end), before);
    if (!decoded) throw damaged(path, line, start);
    const { record } = decoded;
    if (record.type !== "begin") records.push({ record, line, byte: start });
    else if (line === 1 && record.format === 2) begin = record;
    else
      throw new Error(`${path}: the file is of a later format than this program knows; use the program that wrote it`);
    checksum = decoded.checksum;
    start = end + 1;
  }
  return { begin, records, wholeBytes: start, checksum: begin ? checksum : 0, isTorn: start < bytes.length };
}

const damaged = (path: string, line: number, byte: number): Error =>
  new Error(
    `${path}: the record in line ${line}, at byte ${byte}, is damaged, or one before it is missing; ${remedyAt(path, byte)}`,
  );

/** What can be done where a file is good up to here alone. */
export const remedyAt = (path: string, byte: number): string =>
  `restore the file from a copy, or cut it there (truncate -s ${byte} ${path}) to go on with what came before`;
