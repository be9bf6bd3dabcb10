import { type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";

/** Tells of changes in the folders of files. Where the system cannot watch, there are none: files are read now and then anyway. */
export class FileChanges {
  readonly #watchers: readonly FSWatcher[];
  #next = new AbortController();
  #isPending = false;

  constructor(files: readonly string[]) {
    const folders = [...new Set(files.map(dirname))];
    const names = new Set([...files.map((file) => basename(file)), "..data"]);
    this.#watchers = folders.flatMap((folder) => {
      try {
        const watcher = watch(folder, { persistent: false }, (_, name) => {
          if (name === null || names.has(name)) this.#onChange();
        });
        watcher.on("error", () => watcher.close());
        return watcher;
      } catch {
        return [];
      }
    });
  }

  /** Aborts with the next change, at once if there was one since the signal before aborted. */
  next(): AbortSignal {
    this.#next = new AbortController();
    if (this.#isPending) this.#next.abort();
    this.#isPending = false;
    return this.#next.signal;
  }

  close(): void {
    for (const watcher of this.#watchers) watcher.close();
  }

  #onChange(): void {
    if (this.#next.signal.aborted) this.#isPending = true;
    else this.#next.abort();
  }
}
