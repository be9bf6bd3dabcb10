import { type ChildProcess, spawn } from "node:child_process";

/** A reconcile of one Site. */
export interface Interval {
  readonly name: string;
  /** Start, in Unix milliseconds. */
  readonly begin: number;
  /** End, in Unix milliseconds; infinite for a reconcile that has not ended. */
  readonly end: number;
}

/** A running program that prints `begin NAME TIME` and `end NAME TIME` for each reconcile. */
export class Program {
  readonly #process: ChildProcess;
  /** Resolves when the program has ended. */
  readonly ended: Promise<void>;
  #output = "";

  constructor(command: string, args: readonly string[], env: NodeJS.ProcessEnv) {
    this.#process = spawn(command, args, { env, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [this.#process.stdout, this.#process.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#output += text;
      });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#process.on("close", () => resolve());
    this.#process.on("error", (error) => {
      this.#output += `${error}`;
      resolve();
    });
    this.ended = promise;
  }

  get output(): string {
    return this.#output;
  }

  /** Reconciles so far. Reconciles of different Sites may overlap. */
  get intervals(): Interval[] {
    const intervals: Interval[] = [];
    const open = new Map<string, number>();
    for (const [, what, name = "", time] of this.#output.matchAll(/^(begin|end) (\S+) (\d+)$/gm)) {
      const begin = open.get(name);
      if (what === "begin") open.set(name, Number(time));
      else if (begin !== undefined) {
        intervals.push({ name, begin, end: Number(time) });
        open.delete(name);
      }
    }
    return [...intervals, ...[...open].map(([name, begin]) => ({ name, begin, end: Number.POSITIVE_INFINITY }))];
  }

  /** Sends SIGTERM, and resolves when the program has ended. */
  async stop(): Promise<void> {
    this.#process.kill("SIGTERM");
    await this.ended;
  }
}
