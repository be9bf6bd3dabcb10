import { readFileSync } from "node:fs";
import { decodeRecord, type JournalRecord } from "./record.ts";

/** What a file holds. */
export interface ReadRecords {
  readonly records: readonly JournalRecord[];
  /** Bytes of whole records; what follows was being written when the process ended. */
  readonly wholeBytes: number;
}

/**
 * Reads the records of a file. The last line may be unfinished; a damaged line that others follow is refused, since acknowledged
 * writes would be lost without a word.
 *
 * @throws {Error} naming file and position of a damaged record
 */
export function readRecords(path: string): ReadRecords {
  const bytes = readFileSync(path);
  const records: JournalRecord[] = [];
  let start = 0;
  while (start < bytes.length) {
    const end = bytes.indexOf(0x0a, start);
    if (end < 0) break;
    const record = decodeRecord(bytes.subarray(start, end));
    if (!record) {
      if (end === bytes.length - 1) break;
      throw new Error(
        `${path}: the record at byte ${start} is damaged and others follow it; restore the file from a copy, or cut it there ` +
          "(truncate -s) to go on with what came before",
      );
    }
    records.push(record);
    start = end + 1;
  }
  return { records, wholeBytes: start };
}
