import { closeSync, existsSync, lstatSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "@kubewright/clock";
import { isListening } from "./lock-socket.ts";
import { isRunning } from "./running-process.ts";

/** Prefix of entry names. */
export const prefix = "lock";
/** Suffix of an entry's name until the entry can show that its process is alive. */
export const draftEnd = ".draft";
/** Names of entries that this process created as files, not sockets. */
export const own = new Set<string>();
/** Age in milliseconds at which an unfinished entry is abandoned: the process that created it has certainly ended. */
const abandonedMs = 60_000;
/** Maximum length of a socket path: the system's limit minus a margin. */
const longestSocketPath = 100;

/** The entries of all processes that want to lock a directory. */
export class LockFolder {
  readonly directory: string;
  #descriptor: number | undefined;

  constructor(directory: string) {
    this.directory = directory;
  }

  path(name: string): string {
    return join(this.directory, name);
  }

  /** Returns the path of an entry's socket. If the directory's path is too long for a socket, a shorter path to it is used. */
  socketPath(name: string): string {
    const path = this.path(name);
    if (Buffer.byteLength(path) <= longestSocketPath || !existsSync("/proc/self/fd")) return path;
    this.#descriptor ??= openSync(this.directory, "r");
    return `/proc/self/fd/${this.#descriptor}/${name}`;
  }

  /** Returns the entries of all other live processes, oldest first. Removes the entries of dead processes. */
  async living(ownName: string): Promise<string[]> {
    const found: string[] = [];
    for (const name of readdirSync(this.directory).sort()) {
      if (!name.startsWith(prefix) || name === ownName) continue;
      if (name.endsWith(draftEnd)) {
        const isAbandoned = systemClock.now() - Number(name.split("-")[1]) > abandonedMs;
        if (isAbandoned) rmSync(this.path(name), { force: true });
      } else if (await this.#isLiving(name)) found.push(name);
      else rmSync(this.path(name), { force: true });
    }
    return found;
  }

  /** Returns the ID of the process that added an entry. */
  holderOf(name: string): string {
    return name.split("-")[2] ?? this.#contentOf(name)?.[0] ?? "unknown";
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  async #isLiving(name: string): Promise<boolean> {
    const entry = lstatSync(this.path(name), { throwIfNoEntry: false });
    if (!entry) return false;
    if (entry.isSocket()) return isListening(this.socketPath(name));
    const [pid = "", start = ""] = this.#contentOf(name) ?? [];
    const holder = Number.parseInt(pid, 10);
    return holder === process.pid ? own.has(this.path(name)) : isRunning(holder, start);
  }

  #contentOf(name: string): string[] | undefined {
    try {
      return readFileSync(this.path(name), "utf8").trim().split(" ");
    } catch {
      return undefined; // the entry has been removed in the meantime
    }
  }
}
