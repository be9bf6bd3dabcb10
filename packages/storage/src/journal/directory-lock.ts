import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:net";
import { systemClock, systemRandom } from "@kubewright/clock";
import { draftEnd, LockFolder, own, prefix } from "./lock-folder.ts";
import { listening } from "./lock-socket.ts";
import { startOf } from "./running-process.ts";

export interface DirectoryLock {
  release(): void;
}

const waitMs = 20;
/** Time in milliseconds that concurrent processes have to withdraw. */
const patienceMs = 3_000;
/**
 * Locks a directory, so that no other process can use it at the same time. This works even if two processes start
 * simultaneously or the previous one was killed.
 *
 * Each process adds an entry to the directory and then checks all other entries. If a process to which another entry
 * belongs is alive, the new process gives up. If two processes start at the same time, the later one sees the earlier
 * one's entry. An entry is a socket on which its process listens, so the kernel reveals whether the process is alive,
 * even if it runs in another container with its own process IDs. If the directory does not support sockets, the entry
 * is a file with the ID and start time of the process.
 *
 * @throws {Error} if another running process uses the directory
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const folder = new LockFolder(directory);
  try {
    const entry = await Entry.leave(folder);
    try {
      await entry.becomeOnly();
    } catch (error) {
      entry.release();
      throw error;
    }
    return entry;
  } catch (error) {
    folder.close();
    throw error;
  }
}

/** Counter that orders the entries of this process. */
let lastAge = 0;

class Entry implements DirectoryLock {
  readonly #folder: LockFolder;
  readonly #name: string;
  readonly #server: Server | undefined;

  private constructor(folder: LockFolder, name: string, server: Server | undefined) {
    this.#folder = folder;
    this.#name = name;
    this.#server = server;
  }

  /** Adds an entry. The entry does not get its final name until it shows that its process is alive. */
  static async leave(folder: LockFolder): Promise<Entry> {
    lastAge = Math.max(systemClock.now(), lastAge + 1);
    const age = String(lastAge).padStart(15, "0");
    const name = `${prefix}-${age}-${process.pid}-${systemRandom.bytes(6).toString("hex")}`;
    const draft = `${name}${draftEnd}`;
    const server = await listening(folder.socketPath(draft));
    if (server) chmodSync(folder.path(draft), 0o600);
    else {
      rmSync(folder.path(draft), { force: true });
      writeFileSync(folder.path(draft), `${process.pid} ${startOf(process.pid) ?? ""}\n`, { mode: 0o600 });
      own.add(folder.path(name));
    }
    renameSync(folder.path(draft), folder.path(name));
    return new Entry(folder, name, server);
  }

  /** Waits until no other entry exists. @throws {Error} if another entry remains */
  async becomeOnly(): Promise<void> {
    for (const until = systemClock.now() + patienceMs; ; await systemClock.sleep(waitMs)) {
      const others = await this.#folder.living(this.#name);
      if (others.length === 0) return;
      const [holder = ""] = others;
      if (holder < this.#name || systemClock.now() >= until)
        throw new Error(
          `data directory ${this.#folder.directory} is in use by process ${this.#folder.holderOf(holder)}; stop that process, or use ` +
            "another directory",
        );
    }
  }

  release(): void {
    const path = this.#folder.path(this.#name);
    rmSync(path, { force: true });
    own.delete(path);
    this.#server?.close();
    this.#folder.close();
  }
}
