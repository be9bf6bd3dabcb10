import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import type { Writable } from "node:stream";

/**
 * Shell script that runs a program, and kills it on command. If this process ends for any reason, the pipe on descriptor 3 closes; the
 * script then kills the program as well, and deletes the folder.
 */
const supervisor = `
"$@" </dev/null 3<&- &
child=$!
{ read -r word; kill -KILL "$child" 2>/dev/null; [ "$word" = end ] || rm -rf "$FOLDER"; } <&3 &
watcher=$!
wait "$child"; code=$?
kill "$watcher" 2>/dev/null
exit "$code"
`;

/** A program run by a test bed. It is stopped with SIGKILL, because test data need not be saved. */
export class SupervisedProcess {
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #logFile: string;

  constructor(
    name: string,
    command: readonly string[],
    options: { readonly folder: string; readonly logFile: string },
  ) {
    this.name = name;
    this.#logFile = options.logFile;
    const log = openSync(options.logFile, "a", 0o600);
    this.#child = spawn("sh", ["-c", supervisor, "sh", ...command], {
      stdio: ["ignore", log, log, "pipe"],
      env: { PATH: process.env.PATH, HOME: options.folder, FOLDER: options.folder },
      detached: true,
    });
    closeSync(log);
    this.#child.unref();
    // If the program ends by itself, the pipe may break first.
    this.#pipe.on("error", () => {});
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Last lines of the program's output. */
  get lastWords(): string {
    return readFileSync(this.#logFile, "utf8").split("\n").slice(-15).join("\n");
  }

  /** Kills the program. Calling it again has no effect. */
  async kill(): Promise<void> {
    if (this.hasEnded) return;
    const ended = once(this.#child, "exit");
    this.#child.ref();
    this.#pipe.end("end\n");
    await ended;
  }

  get #pipe(): Writable {
    const pipe = this.#child.stdio[3];
    if (!pipe || !("write" in pipe)) throw new Error("the pipe to the supervisor is missing");
    return pipe;
  }
}
