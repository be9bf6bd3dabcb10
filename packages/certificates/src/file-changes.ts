import { type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";

/**
 * Reports changes in the directories that contain the given files. If the system cannot watch a directory, no changes
 * are reported there; the files are reread periodically anyway.
 */
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

  /** Returns a signal that aborts on the next change, or immediately if there was a change since the previous signal aborted. */
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
