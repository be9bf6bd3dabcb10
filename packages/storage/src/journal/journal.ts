import { closeSync, ftruncateSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import type { ChangeLog, LoggedChange, LoggedObject, RestoredState } from "../contract/change-log.ts";
import { type DirectoryLock, lockDirectory } from "./directory-lock.ts";
import { journalFiles, removeUnfinished, segmentPath, snapshotPath, unfinishedOf } from "./journal-files.ts";
import { encodeRecord, type JournalRecord } from "./record.ts";
import { recover } from "./recover.ts";

export interface JournalOptions {
  /** Directory that only this journal uses. It is created if it does not exist. */
  readonly directory: string;
  /** Size in bytes at which a new file is started, and a snapshot replaces the older files. Default 16 MiB. */
  readonly segmentBytes?: number | undefined;
  /**
   * Called if a snapshot, or the file after it, could not be written. No data is lost, because the older files remain and writing is
   * retried.
   */
  readonly onSnapshotFailure?: ((error: unknown) => void) | undefined;
}

const snapshotBatch = 500;
/** A failed snapshot is retried after this fraction of a segment: one eighth. */
const retryAfterPart = 8;

/**
 * Writes changes to files before they take effect. A write is acknowledged as soon as the operating system has received
 * it. Acknowledged writes are never lost when this process ends, but they may be lost if the machine crashes.
 *
 * Files: `journal-<version>.log` contains the changes after a version, and `snapshot-<version>.log` contains all objects at a version.
 */
export class Journal implements ChangeLog {
  readonly #directory: string;
  readonly #segmentBytes: number;
  readonly #onSnapshotFailure: (error: unknown) => void;
  readonly #lock: DirectoryLock;
  readonly restored: RestoredState;
  #file: number;
  #size = 0;
  /** Checksum of the last record in the file. */
  #checksum = 0;
  /** True if the file may end with a part of a record that could not be written. */
  #isTorn = false;
  #rotateAt: number;
  #snapshot: Promise<void> = Promise.resolve();
  #closed: Promise<void> | undefined;
  #objects: () => Iterable<LoggedObject> = () => [];

  private constructor(options: JournalOptions, lock: DirectoryLock) {
    this.#directory = options.directory;
    this.#segmentBytes = options.segmentBytes ?? 16 * 1024 * 1024;
    this.#rotateAt = this.#segmentBytes;
    this.#onSnapshotFailure = options.onSnapshotFailure ?? (() => {});
    this.#lock = lock;
    removeUnfinished(options.directory);
    const { state, last } = recover(options.directory);
    this.restored = state;
    if (last && !last.isOld) {
      this.#file = openSync(last.path, "a", 0o600);
      this.#size = last.wholeBytes;
      this.#checksum = last.checksum;
      ftruncateSync(this.#file, this.#size);
    } else this.#file = this.#begin(state.resourceVersion);
  }

  /**
   * Opens a journal and locks its directory.
   *
   * @throws {Error} if another process uses the directory, or a file in it was changed; the message contains the file, the position and a
   *   remedy
   */
  static async open(options: JournalOptions): Promise<Journal> {
    mkdirSync(options.directory, { recursive: true, mode: 0o700 });
    const lock = await lockDirectory(options.directory);
    try {
      return new Journal(options, lock);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** Sets the function that returns the objects for snapshots. */
  source(objects: () => Iterable<LoggedObject>): void {
    this.#objects = objects;
  }

  append(record: LoggedChange): void {
    this.#mend();
    if (this.#size >= this.#rotateAt) this.#rotate(record.resourceVersion - 1);
    const { line, checksum } = encodeRecord(record, this.#checksum);
    try {
      writeWhole(this.#file, line);
    } catch (error) {
      this.#isTorn = true;
      try {
        this.#mend();
      } catch {
        // the repair is tried again before the next record; if it fails again, that record is rejected
      }
      throw error;
    }
    this.#size += line.length;
    this.#checksum = checksum;
  }

  /** Removes the incomplete part of a record that could not be written. Called before the next record is written. */
  #mend(): void {
    if (!this.#isTorn) return;
    ftruncateSync(this.#file, this.#size);
    this.#isTorn = false;
  }

  /** Waits for a snapshot in progress, and then unlocks the directory. */
  close(): Promise<void> {
    this.#closed ??= this.#snapshot.then(() => {
      closeSync(this.#file);
      this.#lock.release();
    });
    return this.#closed;
  }

  /**
   * Starts a new file and, in the background, writes a snapshot that replaces everything before that file. If the new file cannot be
   * created, the old one is continued.
   */
  #rotate(at: number): void {
    const before = this.#file;
    try {
      this.#file = this.#begin(at);
    } catch (error) {
      this.#postponed(error);
      return;
    }
    closeSync(before);
    this.#rotateAt = this.#segmentBytes;
    const objects = [...this.#objects()];
    this.#snapshot = this.#snapshot
      .then(() => this.#writeSnapshot(at, objects))
      .catch((error: unknown) => this.#postponed(error));
  }

  #postponed(error: unknown): void {
    this.#rotateAt = this.#size + Math.ceil(this.#segmentBytes / retryAfterPart);
    this.#onSnapshotFailure(error);
  }

  /** Creates a file for the changes after a version. The file appears together with its first line, or not at all. */
  #begin(at: number): number {
    const path = segmentPath(this.#directory, at);
    const unfinished = unfinishedOf(path);
    rmSync(unfinished, { force: true });
    const file = openSync(unfinished, "a", 0o600);
    try {
      const begin: JournalRecord = { type: "begin", format: 2, resourceVersion: at, follows: this.#checksum };
      const { line, checksum } = encodeRecord(begin, 0);
      writeWhole(file, line);
      renameSync(unfinished, path);
      this.#size = line.length;
      this.#checksum = checksum;
      return file;
    } catch (error) {
      closeSync(file);
      rmSync(unfinished, { force: true });
      throw error;
    }
  }

  async #writeSnapshot(at: number, objects: readonly LoggedObject[]): Promise<void> {
    const path = snapshotPath(this.#directory, at);
    const unfinished = unfinishedOf(path);
    let size = 0;
    try {
      const file = await open(unfinished, "w", 0o600);
      try {
        let checksum = 0;
        const linesOf = (records: readonly JournalRecord[]): Buffer =>
          Buffer.concat(
            records.map((record) => {
              const encoded = encodeRecord(record, checksum);
              checksum = encoded.checksum;
              return encoded.line;
            }),
          );
        const write = async (records: readonly JournalRecord[]): Promise<void> => {
          const bytes = linesOf(records);
          await file.writeFile(bytes);
          size += bytes.length;
        };
        await write([{ type: "begin", format: 2, resourceVersion: at, follows: 0 }]);
        for (let index = 0; index < objects.length; index += snapshotBatch)
          await write(
            objects
              .slice(index, index + snapshotBatch)
              .map((object) => ({ type: "put", resourceVersion: at, ...object })),
          );
        await write([{ type: "end", resourceVersion: at, count: objects.length }]);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(unfinished, path);
    } catch (error) {
      rmSync(unfinished, { force: true }); // if the disk is full, the space is needed
      throw error;
    }
    this.#rotateAt = Math.max(this.#segmentBytes, size);
    const { segments, snapshots } = journalFiles(this.#directory);
    for (const file of [...segments, ...snapshots]) if (file.number < at) rmSync(file.path, { force: true });
  }
}

function writeWhole(file: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; ) {
    const more = writeSync(file, bytes, written);
    if (more === 0) throw new Error("no more data can be written to the journal file");
    written += more;
  }
}
