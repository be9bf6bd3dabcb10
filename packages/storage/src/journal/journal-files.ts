import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const digits = 16;
const segmentName = /^journal-(\d{16})\.log$/;
const snapshotName = /^snapshot-(\d{16})\.log$/;

interface NumberedFile {
  readonly path: string;
  readonly number: number;
}

/** Returns the path of the segment with the changes after a version, up to the start of the next segment. */
export const segmentPath = (directory: string, after: number): string =>
  join(directory, `journal-${String(after).padStart(digits, "0")}.log`);

/** Returns the path of the snapshot of all objects at a version. */
export const snapshotPath = (directory: string, at: number): string =>
  join(directory, `snapshot-${String(at).padStart(digits, "0")}.log`);

const unfinishedEnd = ".unfinished";

/** Returns the path under which a file is stored until it is complete. */
export const unfinishedOf = (path: string): string => `${path}${unfinishedEnd}`;

/** Removes incomplete files left behind by a previous process. */
export function removeUnfinished(directory: string): void {
  for (const name of readdirSync(directory))
    if (name.endsWith(unfinishedEnd)) rmSync(join(directory, name), { force: true });
}

/** Returns the files of a journal in a directory, oldest first. */
export function journalFiles(directory: string): {
  readonly segments: readonly NumberedFile[];
  readonly snapshots: readonly NumberedFile[];
} {
  const names = readdirSync(directory).sort();
  const numbered = (pattern: RegExp): NumberedFile[] =>
    names.flatMap((name) => {
      const number = pattern.exec(name)?.[1];
      return number === undefined ? [] : [{ path: join(directory, name), number: Number(number) }];
    });
  return { segments: numbered(segmentName), snapshots: numbered(snapshotName) };
}
