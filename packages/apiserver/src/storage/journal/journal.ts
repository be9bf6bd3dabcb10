import { closeSync, ftruncateSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import type { ChangeLog, LoggedChange, LoggedObject, RestoredState } from "../change-log.ts";
import { lockDirectory } from "./directory-lock.ts";
import { journalFiles, segmentPath, snapshotPath } from "./journal-files.ts";
import { readRecords } from "./read-records.ts";
import { encodeRecord } from "./record.ts";

export interface JournalOptions {
  /** A folder of its own; made where it is not there. */
  readonly directory: string;
  /** From this size on a new file is begun, and a snapshot makes the older ones needless. Default 16 MiB. */
  readonly segmentBytes?: number;
  /** A snapshot could not be written. Nothing is lost: the older files stay. */
  readonly onSnapshotFailure?: (error: unknown) => void;
}

const snapshotBatch = 500;

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
  readonly #lock: { release(): void };
  readonly restored: RestoredState;
  #file: number;
  #size = 0;
  #rotateAt: number;
  #snapshot: Promise<void> = Promise.resolve();
  #closed: Promise<void> | undefined;
  #objects: () => Iterable<LoggedObject> = () => [];

  private constructor(options: JournalOptions, lock: { release(): void }) {
    this.#directory = options.directory;
    this.#segmentBytes = options.segmentBytes ?? 16 * 1024 * 1024;
    this.#rotateAt = this.#segmentBytes;
    this.#onSnapshotFailure = options.onSnapshotFailure ?? (() => {});
    this.#lock = lock;
    const { state, last } = recover(options.directory);
    this.restored = state;
    this.#file = openSync(last?.path ?? segmentPath(options.directory, state.resourceVersion), "a", 0o600);
    if (last) {
      ftruncateSync(this.#file, last.wholeBytes);
      this.#size = last.wholeBytes;
    }
  }

  /** @throws {Error} where the folder is in use by another process, or holds a damaged record that others follow */
  static open(options: JournalOptions): Journal {
    mkdirSync(options.directory, { recursive: true, mode: 0o700 });
    const lock = lockDirectory(options.directory);
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
    if (this.#size >= this.#rotateAt) this.#rotate(record.resourceVersion - 1);
    const bytes = encodeRecord(record);
    try {
      let written = 0;
      while (written < bytes.length) written += writeSync(this.#file, bytes, written);
      this.#size += bytes.length;
    } catch (error) {
      ftruncateSync(this.#file, this.#size); // what was written of the record must not stand before the next
      throw error;
    }
  }

  /** Waits for a snapshot that is being written, and frees the folder. */
  close(): Promise<void> {
    this.#closed ??= this.#snapshot.then(() => {
      closeSync(this.#file);
      this.#lock.release();
    });
    return this.#closed;
  }

  /** Begins a new file, and in the background a snapshot of everything before it. */
  #rotate(at: number): void {
    const next = openSync(segmentPath(this.#directory, at), "a", 0o600);
    closeSync(this.#file);
    this.#file = next;
    this.#size = 0;
    const objects = [...this.#objects()];
    this.#snapshot = this.#snapshot.then(() => this.#writeSnapshot(at, objects)).catch(this.#onSnapshotFailure);
  }

  async #writeSnapshot(at: number, objects: readonly LoggedObject[]): Promise<void> {
    const path = snapshotPath(this.#directory, at);
    const unfinished = `${path}.unfinished`;
    const file = await open(unfinished, "w", 0o600);
    let size = 0;
    try {
      for (let index = 0; index < objects.length; index += snapshotBatch) {
        const lines = objects
          .slice(index, index + snapshotBatch)
          .map((object) => encodeRecord({ type: "put", resourceVersion: at, ...object }));
        size += (await file.write(Buffer.concat(lines))).bytesWritten;
      }
      await file.write(encodeRecord({ type: "end", resourceVersion: at, count: objects.length }));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
    this.#rotateAt = Math.max(this.#segmentBytes, size);
    const { segments, snapshots } = journalFiles(this.#directory);
    for (const file of [...segments, ...snapshots]) if (file.number < at) rmSync(file.path, { force: true });
  }
}

interface LastSegment {
  readonly path: string;
  readonly wholeBytes: number;
}

/** The newest snapshot and the changes after it. */
function recover(directory: string): { readonly state: RestoredState; readonly last: LastSegment | undefined } {
  const { segments, snapshots } = journalFiles(directory);
  const snapshot = snapshots.at(-1);
  const begin = snapshot?.number ?? 1;
  const objects = snapshot ? objectsOf(snapshot.path) : [];
  const changes: LoggedChange[] = [];
  let last: LastSegment | undefined;
  const wanted = segments.filter(({ number }) => number >= begin);
  for (const [index, { path }] of wanted.entries()) {
    const { records, wholeBytes } = readRecords(path);
    for (const record of records) if (record.type !== "end") changes.push(record);
    if (index === wanted.length - 1) last = { path, wholeBytes };
  }
  const resourceVersion = Math.max(begin, changes.at(-1)?.resourceVersion ?? 0);
  return { state: { forgottenThrough: begin, resourceVersion, objects, changes }, last };
}

function objectsOf(path: string): LoggedObject[] {
  const { records } = readRecords(path);
  const end = records.at(-1);
  if (end?.type !== "end" || end.count !== records.length - 1)
    throw new Error(`${path}: the snapshot is not complete; restore the file from a copy`);
  return records.filter((record) => record.type === "put");
}
