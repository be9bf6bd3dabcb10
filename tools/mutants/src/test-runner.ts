import { type ChildProcess, fork } from "node:child_process";
import { setPriority } from "node:os";
import { join } from "node:path";
import type { Answer, Question } from "./messages.ts";

export type Outcome =
  | { readonly type: "passed" }
  | { readonly type: "failed"; readonly failures: readonly string[] }
  | { readonly type: "timeout" };

/** A `timeoutMs` has passed; the process is gone. */
class TimeoutError extends Error {}

/**
 * Runs the tests of one package in a process of its own, one after another. A run that takes too long ends with all processes it has started;
 * the next one begins a new process.
 */
export class TestRunner {
  readonly #root: string;
  readonly #folder: string;
  #child: ChildProcess | undefined;

  constructor(root: string, folder: string) {
    this.#root = root;
    this.#folder = folder;
  }

  /** The package's test files that import `file`, by absolute paths; without `file` all. Nearest first. */
  async specs(file: string | undefined, timeoutMs: number): Promise<readonly string[]> {
    const answer = await this.#ask({ type: "specs", ...(file && { file: join(this.#root, file) }) }, timeoutMs);
    if (answer.type !== "specs") throw new Error(`specs of ${this.#folder} answered ${answer.type}`);
    return file ? nearestFirst(answer.specs, join(this.#root, file)) : answer.specs;
  }

  async run(
    specs: readonly string[],
    mutant: { path: string; text: string } | undefined,
    timeoutMs: number,
  ): Promise<Outcome> {
    const broken = mutant && { file: join(this.#root, mutant.path), text: mutant.text };
    try {
      const answer = await this.#ask({ type: "run", specs, ...(broken && { mutant: broken }) }, timeoutMs);
      if (answer.type !== "ran") throw new Error(`run in ${this.#folder} answered ${answer.type}`);
      return answer.failures.length > 0 ? { type: "failed", failures: answer.failures } : { type: "passed" };
    } catch (error) {
      if (error instanceof TimeoutError) return { type: "timeout" };
      return { type: "failed", failures: [error instanceof Error ? error.message : String(error)] };
    }
  }

  close(): void {
    const pid = this.#child?.pid;
    this.#child = undefined;
    if (pid === undefined) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }

  #ask(question: Question, timeoutMs: number): Promise<Answer> {
    const child = this.#started();
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const onExit = (): void => reject(new Error(`the tests of ${this.#folder} ended their process`));
    const timer = setTimeout(() => reject(new TimeoutError(`no answer after ${timeoutMs} ms`)), timeoutMs);
    child.once("message", (answer: Answer) =>
      answer.type === "broken" ? reject(new Error(answer.message)) : resolve(answer),
    );
    child.once("exit", onExit);
    child.send(question);
    return promise
      .catch((error: unknown) => {
        this.close();
        throw error;
      })
      .finally(() => {
        clearTimeout(timer);
        child.removeAllListeners();
      });
  }

  /** A group of its own, so that all it starts can be ended with it, and behind everything else. */
  #started(): ChildProcess {
    if (this.#child) return this.#child;
    const { KUBEBUILDER_ASSETS: _, ...env } = process.env;
    this.#child = fork(join(import.meta.dirname, "test-child.ts"), [], {
      cwd: join(this.#root, this.#folder),
      env,
      detached: true,
      execArgv: ["--max-old-space-size=2048"],
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    if (this.#child.pid !== undefined) setPriority(this.#child.pid, 10);
    return this.#child;
  }
}

/** The test beside the file, then those that share most of its folders. */
function nearestFirst(specs: readonly string[], file: string): readonly string[] {
  const own = file.replace(/\.ts$/, ".test.ts");
  const shared = (spec: string): number => {
    if (spec === own) return Number.POSITIVE_INFINITY;
    const folders = spec.split("/").slice(0, -1);
    const others = file.split("/");
    const apart = folders.findIndex((folder, i) => folder !== others[i]);
    return apart < 0 ? folders.length : apart;
  };
  return [...specs].sort((a, b) => shared(b) - shared(a) || (a < b ? -1 : 1));
}
