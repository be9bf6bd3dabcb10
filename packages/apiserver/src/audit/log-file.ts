import { mkdirSync } from "node:fs";
import { type FileHandle, open, rename, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { type Clock, systemClock } from "@kubewright/clock";
import type { AuditSink } from "./auditor.ts";
import { backupName, type OldLogsOptions, tidyOldLogs } from "./old-logs.ts";

/** Options for the audit log. The defaults are the same as in kube-apiserver. */
export interface AuditLogOptions extends Omit<Partial<OldLogsOptions>, "maxAgeDays" | "maxBackups" | "compress"> {
  /** Maximum size of the log, in MiB. A full log is renamed, and a new one is started. `Infinity` disables the limit. Default 100. */
  readonly maxSizeMb?: number | undefined;
  /** Maximum age of old logs, in days. `Infinity` disables the limit. Default 366. */
  readonly maxAgeDays?: number | undefined;
  /** Maximum number of old logs. Default 100. */
  readonly maxBackups?: number | undefined;
  /** True to compress old logs. Default false. */
  readonly compress?: boolean | undefined;
  /** Called with each error. The lines that could not be written are lost. */
  readonly onFailure: (error: unknown) => void;
  readonly clock?: Clock | undefined;
}

const mebibyte = 2 ** 20;

/**
 * Opens an audit log. A full log file is renamed, and a new one is started. The path `-` means standard output.
 *
 * @throws {Error} if the directory cannot be created
 * @throws {RangeError} if a limit is not positive
 */
export function auditLogFile(path: string, options: AuditLogOptions): AuditSink {
  if (path === "-") return { write: (line) => void process.stdout.write(`${line}\n`), close: async () => {} };
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const file = new RotatingFile(path, options);
  file.open();
  return file;
}

/** A log file that is renamed when it is full.  @see lumberjack Logger */
class RotatingFile implements AuditSink {
  readonly #path: string;
  readonly #maxBytes: number;
  readonly #old: OldLogsOptions;
  readonly #onFailure: (error: unknown) => void;
  readonly #clock: Clock;
  #lines: string[] = [];
  #isWriting = false;
  #written: Promise<void> = Promise.resolve();
  #tidied: Promise<void> = Promise.resolve();
  #file: { readonly handle: FileHandle; bytes: number } | undefined;

  constructor(path: string, options: AuditLogOptions) {
    const { maxSizeMb = 100, maxAgeDays = 366, maxBackups = 100, compress = false } = options;
    for (const [name, value] of Object.entries({ maxSizeMb, maxAgeDays, maxBackups }))
      if (!(value > 0)) throw new RangeError(`${name} must be positive, got ${value}; use Infinity for no limit`);
    this.#path = path;
    this.#maxBytes = maxSizeMb * mebibyte;
    this.#old = { maxAgeDays, maxBackups, compress };
    this.#onFailure = options.onFailure;
    this.#clock = options.clock ?? systemClock;
  }

  /** Opens the file immediately, so that errors are reported before the first line is written. */
  open(): void {
    this.#isWriting = true;
    this.#written = this.#attempt(() => this.#opened(0)).then(() => this.#drain());
  }

  write(line: string): void {
    this.#lines.push(`${line}\n`);
    if (this.#isWriting) return;
    this.#isWriting = true;
    this.#written = this.#drain();
  }

  async close(): Promise<void> {
    await this.#written;
    await this.#tidied;
    await this.#close();
  }

  async #drain(): Promise<void> {
    while (this.#lines.length > 0) {
      const lines = this.#lines;
      this.#lines = [];
      await this.#attempt(() => this.#append(lines));
    }
    this.#isWriting = false;
  }

  /** Runs a call. If the call fails, reports the error, and closes the file so that the next call opens it again. */
  async #attempt(call: () => Promise<unknown>): Promise<void> {
    try {
      await call();
    } catch (error) {
      this.#onFailure(error);
      await this.#close().catch(this.#onFailure);
    }
  }

  /** Writes the lines, as many at a time as fit into the file. */
  async #append(lines: readonly string[]): Promise<void> {
    let [batch, bytes] = ["", 0];
    for (const line of lines) {
      const length = Buffer.byteLength(line);
      if (length > this.#maxBytes) {
        this.#onFailure(new Error(`write length ${length} exceeds maximum file size ${this.#maxBytes}`));
        continue;
      }
      const file = await this.#opened(length);
      if (file.bytes + bytes + length > this.#maxBytes) {
        await this.#put(batch, bytes);
        await this.#rotate();
        [batch, bytes] = ["", 0];
      }
      batch += line;
      bytes += length;
    }
    await this.#put(batch, bytes);
  }

  async #put(text: string, bytes: number): Promise<void> {
    if (!this.#file || bytes === 0) return;
    await this.#file.handle.appendFile(text);
    this.#file.bytes += bytes;
  }

  /** Returns the open file. Opens it if necessary, and appends to the log of an earlier run unless that log is full. */
  async #opened(length: number): Promise<{ readonly handle: FileHandle; bytes: number }> {
    if (this.#file) return this.#file;
    const present = await stat(this.#path).catch(() => undefined);
    if (present && present.size + length >= this.#maxBytes) await this.#setAside();
    this.#tidy();
    return this.#open();
  }

  async #rotate(): Promise<void> {
    await this.#close();
    await this.#setAside();
    await this.#open();
    this.#tidy();
  }

  async #open(): Promise<{ readonly handle: FileHandle; bytes: number }> {
    const handle = await open(this.#path, "a", 0o600);
    this.#file = { handle, bytes: (await handle.stat()).size };
    return this.#file;
  }

  async #setAside(): Promise<void> {
    await rename(this.#path, await backupName(this.#path, this.#clock.now()));
  }

  /** Tidies up old logs in the background. Only one such run is active at a time. */
  #tidy(): void {
    const nowMs = this.#clock.now();
    this.#tidied = this.#tidied.then(() => tidyOldLogs(this.#path, this.#old, nowMs)).catch(this.#onFailure);
  }

  async #close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.handle.close();
  }
}
