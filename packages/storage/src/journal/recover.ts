import { existsSync } from "node:fs";
import type { LoggedChange, LoggedObject, RestoredState } from "../contract/change-log.ts";
import { journalFiles, segmentPath } from "./journal-files.ts";
import { readRecords, remedyAt } from "./read-records.ts";

/** The file to which new changes are written. */
export interface LastSegment {
  readonly path: string;
  readonly wholeBytes: number;
  /** Checksum of the file's last record. */
  readonly checksum: number;
  /** True if the file has the old format, in which checksums are not chained. */
  readonly isOld: boolean;
}

const firstVersion = 1;

/**
 * Reads the newest snapshot and all changes after it.
 *
 * @throws {Error} if a file is missing or damaged; the message contains the file and a remedy
 */
export function recover(directory: string): { readonly state: RestoredState; readonly last: LastSegment | undefined } {
  const { segments, snapshots } = journalFiles(directory);
  const snapshot = snapshots.at(-1);
  const begin = snapshot?.number ?? firstVersion;
  const objects = snapshot ? objectsOf(snapshot.path) : [];
  const changes: LoggedChange[] = [];
  let version = begin;
  let last: LastSegment | undefined;
  for (const { path, number } of segments.filter((segment) => segment.number >= begin)) {
    if (number !== version) throw missing(directory, version, number, path);
    const read = readRecords(path);
    if (read.wholeBytes === 0 && !read.isTorn)
      throw new Error(`${path}: the file is empty, and its contents are lost; ${remedyFor(path)}`);
    if (last && read.begin && read.begin.follows !== last.checksum)
      throw new Error(
        `${path}: the file does not continue ${last.path}, which was changed or replaced; restore both files from a copy`,
      );
    for (const { record, line, byte } of read.records) {
      if (record.type === "end" || record.resourceVersion !== version + 1)
        throw new Error(
          `${path}: the record in line ${line}, at byte ${byte}, has version ${record.resourceVersion} and should have ` +
            `${version + 1}: records are missing or out of order; ${remedyAt(path, byte)}`,
        );
      changes.push(record);
      version++;
    }
    const { wholeBytes, checksum } = read;
    last = { path, wholeBytes, checksum, isOld: !read.begin };
  }
  const expected = segmentPath(directory, begin);
  if (!last && (snapshot || segments.length > 0) && !existsSync(asideOf(expected)))
    throw new Error(`${expected}: the file is missing; ${remedyFor(expected)}`);
  return { state: { forgottenThrough: begin, resourceVersion: version, objects, changes }, last };
}

function missing(directory: string, version: number, number: number, path: string): Error {
  const [from, to] = [version + 1, number];
  return new Error(
    `${directory}: changes ${from} to ${to} are missing before ${path}; restore the files before it from a copy, or move it ` +
      `and those after it aside (mv ${path} ${asideOf(path)}) to continue with the preceding records`,
  );
}

const asideOf = (path: string): string => `${path}.damaged`;
const remedyFor = (path: string): string =>
  `restore it from a copy, or mark it as lost (mv ${path} ${asideOf(path)}, or touch the latter) to continue with the preceding records`;

function objectsOf(path: string): LoggedObject[] {
  const { records } = readRecords(path);
  const end = records.at(-1)?.record;
  if (end?.type !== "end" || end.count !== records.length - 1)
    throw new Error(`${path}: the snapshot is not complete; restore the file from a copy`);
  return records.flatMap(({ record }) => (record.type === "put" ? [record] : []));
}
