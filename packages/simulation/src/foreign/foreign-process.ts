import { type ChildProcess, spawn } from "node:child_process";

/**
 * Shell script that runs a program in the script's own process group. If the pipe on descriptor 3 closes, because the simulation was killed,
 * the script deletes the folder, and kills the whole group.
 */
const guard = `
"$@" </dev/null 3<&- &
program=$!
{ read -r _; [ -z "$0" ] || rm -rf "$0"; kill -KILL 0; } <&3 >/dev/null 2>&1 &
wait "$program"
`;

/** Maximum number of characters of the program's output to keep. */
const maxOutput = 64 * 1024;

export interface ForeignProcessOptions {
  /** Program and its arguments. */
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder that is deleted if this process is killed. Default: none. */
  readonly folder?: string | undefined;
  /** Called once if the program exits by itself. */
  readonly onEnd: (how: string) => void;
}

/**
 * A program, in any language, that runs as a separate process. It has its own process group, which is killed as a
 * whole, even if this process itself is killed.
 */
export class ForeignProcess {
  readonly #child: ChildProcess;
  #isKilled = false;
  #output = "";
  readonly #closed: Promise<void>;

  constructor({ command, cwd, env, folder = "", onEnd }: ForeignProcessOptions) {
    this.#child = spawn("sh", ["-c", guard, folder, ...command], {
      cwd,
      env: { ...env },
      stdio: ["ignore", "pipe", "pipe", "pipe"],
      detached: true,
    });
    const { stdout, stderr, stdio } = this.#child;
    stdio[3]?.on("error", () => {}); // breaks if the program ends first
    const keep = (text: string): void => {
      this.#output = (this.#output + text).slice(-maxOutput);
    };
    stdout?.setEncoding("utf8").on("data", keep);
    stderr?.setEncoding("utf8").on("data", keep);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#closed = promise;
    this.#child.once("error", (error) => {
      keep(error.message);
      resolve();
      if (!this.#isKilled) onEnd(`cannot be started: ${error.message}`);
    });
    this.#child.once("exit", (code, signal) => {
      const isOwnEnd = !this.#isKilled;
      this.#killGroup(); // processes that the program started, and the guard
      if (isOwnEnd) onEnd(signal === null ? howItEnded(code ?? 0) : `was killed by ${signal}`);
    });
    this.#child.once("close", () => resolve());
  }

  /** True until the program ends or {@link ForeignProcess.kill} is called. */
  get isAlive(): boolean {
    return !this.#isKilled && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Returns the last lines of the program's output. */
  lastLines(count: number): readonly string[] {
    return this.#output.trimEnd().split("\n").slice(-count);
  }

  /**
   * Sends SIGKILL to the program and all processes that it started. When this method returns, they can no longer act.
   */
  kill(): void {
    if (this.#isKilled) return;
    this.#isKilled = true;
    this.#killGroup();
  }

  /** Kills the program, and resolves when it has exited. */
  async stop(): Promise<void> {
    this.kill();
    await this.#closed;
  }

  #killGroup(): void {
    const { pid } = this.#child;
    if (pid === undefined) return; // the shell could not be started
    try {
      process.kill(-pid, "SIGKILL");
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
    }
  }
}

/** The shell adds 128 to the number of the signal that killed the program. */
const howItEnded = (code: number): string =>
  code > 128 ? `was killed by signal ${code - 128}` : code === 127 ? "was not found" : `exited with code ${code}`;
