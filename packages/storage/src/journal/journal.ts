import { closeSync, ftruncateSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import type { ChangeLog, LoggedChange, LoggedObject, RestoredState } from "../contract/change-log.ts";
import { type DirectoryLock, lockDirectory } from "./directory-lock.ts";
import { journalFiles, removeUnfinished, segmentPath, snapshotPath, unfinishedOf } from "./journal-files.ts";
import { encodeRecord, type JournalRecord } from "./record.ts";
import { recover } from "./recover.ts";

export interface JournalOptions {
  /** A folder of its own; made where it is not there. */
  readonly directory: string;
  /** From this size on a new file is begun, and a snapshot makes the older ones needless. Default 16 MiB. */
  readonly segmentBytes?: number;
  /** A snapshot, or the file after it, could not be written. Nothing is lost: the older files stay, and it is tried again. */
  readonly onSnapshotFailure?: (error: unknown) => void;
}

const snapshotBatch = 500;
/** After this part of a file a snapshot that failed is tried again. */
const retryAfterPart = 8;

/**
 * Changes on disk before anybody hears of them. A write is acknowledged when the operating system has it: it survives the end of
 * this process at any moment, not the end of the machine.
 *
 * Files: `journal-<version>.log` has the changes after a version, `snapshot-<version>.log` all objects at one.
 */
export class Journal implements ChangeLog {
  readonly #directory: string;
  readonly #segmentBytes: number;
  readonly #onSnapshotFailure: (error: unknown) => void;
  readonly #lock: DirectoryLock;
  readonly restored: RestoredState;
  #file: number;
  #size = 0;
  /** Of the last record. */
  #checksum = 0;
  /** Part of a record that could not be written whole may stand at the end of the file. */
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
   * @throws {Error} where the folder is in use by another process, or a file in it is not as it was written; the message names file,
   *   position and remedy
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

  /** Where snapshots take what there is. */
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
        // before the next record it is tried again; until then that one is refused
      }
      throw error;
    }
    this.#size += line.length;
    this.#checksum = checksum;
  }

  /** What was written of a record that failed must not stand before the next. */
  #mend(): void {
    if (!this.#isTorn) return;
    ftruncateSync(this.#file, this.#size);
    this.#isTorn = false;
  }

  /** Waits for a snapshot that is being written, and frees the folder. */
  close(): Promise<void> {
    this.#closed ??= this.#snapshot.then(() => {
      closeSync(this.#file);
      this.#lock.release();
    });
    return this.#closed;
  }

  /** Begins a new file, and in the background a snapshot of everything before it. Where it cannot, the old one is written on. */
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

  /** A new file for what comes after a version. It is there with its first line, or not at all. */
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
      rmSync(unfinished, { force: true }); // a disk that is full needs the room
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
    if (more === 0) throw new Error("the journal's file takes no more bytes");
    written += more;
  }
}
