import { closeSync, existsSync, lstatSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "@kubewright/clock";
import { isListening } from "./lock-socket.ts";
import { isRunning } from "./running-process.ts";

/** Names of entries begin with it. */
export const prefix = "lock";
/** Names of entries end with it until they say that their process lives. */
export const draftEnd = ".draft";
/** Entries of this process that are no sockets. */
export const own = new Set<string>();
/** A draft this old has no process any more. */
const abandonedMs = 60_000;
/** The system's longest name of a socket, less a few. */
const longestSocketPath = 100;

/** The entries of processes that want a folder for themselves. */
export class LockFolder {
  readonly directory: string;
  #descriptor: number | undefined;

  constructor(directory: string) {
    this.directory = directory;
  }

  path(name: string): string {
    return join(this.directory, name);
  }

  /** A short name, where the folder's own is too long for a socket's. */
  socketPath(name: string): string {
    const path = this.path(name);
    if (Buffer.byteLength(path) <= longestSocketPath || !existsSync("/proc/self/fd")) return path;
    this.#descriptor ??= openSync(this.directory, "r");
    return `/proc/self/fd/${this.#descriptor}/${name}`;
  }

  /** The entries of processes that live, oldest first, but for one's own. Others are removed. */
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

  /** The number of the process that left an entry. */
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
      return undefined; // it went meanwhile
    }
  }
}
