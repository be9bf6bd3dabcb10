import { type ChildProcess, spawn } from "node:child_process";

/** A test's child process and its output. */
export class Child {
  readonly #process: ChildProcess;
  #output = "";
  readonly #listeners = new Set<() => void>();
  /** Exit code; null if a signal ended the process. */
  readonly ended: Promise<number | null>;

  constructor(
    program: string,
    args: readonly string[],
    env: Readonly<Record<string, string | undefined>> = process.env,
    cwd: string = process.cwd(),
  ) {
    this.#process = spawn(program, args, { env, cwd, stdio: ["ignore", "pipe", "pipe"] });
    const { promise, resolve } = Promise.withResolvers<number | null>();
    this.ended = promise;
    for (const stream of [this.#process.stdout, this.#process.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#output += text;
        for (const listener of this.#listeners) listener();
      });
    // "close" is emitted once no process, including grandchildren, holds the output
    this.#process.on("close", (code) => {
      resolve(code);
      for (const listener of this.#listeners) listener();
    });
  }

  get output(): string {
    return this.#output;
  }

  /** Resolves with the match once the output matches the pattern. @throws {Error} with the output, if the child ends earlier */
  prints(pattern: RegExp): Promise<RegExpExecArray> {
    const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
    const look = (): void => {
      const found = pattern.exec(this.#output);
      if (found) {
        this.#listeners.delete(look);
        resolve(found);
      }
    };
    this.#listeners.add(look);
    void this.ended.then(() =>
      reject(
        new Error(`the process ended without printing ${pattern}:
${this.#output}`),
      ),
    );
    look();
    return promise;
  }

  kill(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }
}
