import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:net";
import { systemClock } from "@kubewright/clock";
import { draftEnd, LockFolder, own, prefix } from "./lock-folder.ts";
import { listening } from "./lock-socket.ts";
import { startOf } from "./running-process.ts";

export interface DirectoryLock {
  release(): void;
}

const waitMs = 20;
/** So long for others who came at the same time to step back. */
const patienceMs = 3_000;
/**
 * Keeps two processes out of one folder, also where they start at once and after one was killed.
 *
 * Each leaves an entry of its own and then looks for those of others; who finds a living one steps back. So of two that come at once
 * the later sees the earlier's. An entry is a socket that its process listens on: the kernel says whether it lives, whatever its
 * number is called in another container. Where a folder can hold no sockets, it is a file with the process's number and start.
 *
 * @throws {Error} where another process that runs holds it
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

/** So that the entries of one process are in order. */
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

  /** It appears under its name once it says that its process lives. */
  static async leave(folder: LockFolder): Promise<Entry> {
    lastAge = Math.max(systemClock.now(), lastAge + 1);
    const age = String(lastAge).padStart(15, "0");
    const name = `${prefix}-${age}-${process.pid}-${randomBytes(6).toString("hex")}`;
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

  /** Resolves when nobody else is there. @throws {Error} where somebody stays */
  async becomeOnly(): Promise<void> {
    for (const until = systemClock.now() + patienceMs; ; await systemClock.sleep(waitMs)) {
      const others = await this.#folder.living(this.#name);
      if (others.length === 0) return;
      const [holder = ""] = others;
      if (holder < this.#name || systemClock.now() >= until)
        throw new Error(
          `data directory ${this.#folder.directory} is in use by process ${this.#folder.holderOf(holder)}; stop it, or name ` +
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
