import type { ProcessFiles } from "./process-world.ts";

/** A file that changes while a process runs. */
export interface FileChange {
  /** Time since the process started. */
  readonly atMs: number;
  apply(): void;
}

/**
 * Files of a process that is evaluated in one go. The process sees its own changes immediately; other processes see a change made after
 * a `sleep` only once that time has passed.
 */
export class TimedFiles implements ProcessFiles {
  readonly changes: FileChange[] = [];
  readonly #files: ProcessFiles;
  readonly #elapsedMs: () => number;
  /** Changes that the process has made to files; the value is `undefined` for removed files. */
  readonly #own = new Map<string, string | undefined>();

  constructor(files: ProcessFiles, elapsedMs: () => number) {
    this.#files = files;
    this.#elapsedMs = elapsedMs;
  }

  has(path: string): boolean {
    return this.#own.has(path) ? this.#own.get(path) !== undefined : this.#files.has(path);
  }

  read(path: string): string {
    return this.#own.has(path) ? (this.#own.get(path) ?? "") : this.#files.read(path);
  }

  isFolder(path: string): boolean {
    return this.#files.isFolder(path);
  }

  refusal(path: string): string | undefined {
    return this.#files.refusal(path);
  }

  makeFolder(path: string): void {
    this.#files.makeFolder(path);
  }

  write(path: string, text: string): void {
    this.#change(path, text, () => this.#files.write(path, text));
  }

  remove(path: string): void {
    this.#change(path, undefined, () => this.#files.remove(path));
  }

  #change(path: string, text: string | undefined, apply: () => void): void {
    const atMs = this.#elapsedMs();
    if (atMs === 0) apply();
    else {
      this.#own.set(path, text);
      this.changes.push({ atMs, apply });
    }
  }
}
