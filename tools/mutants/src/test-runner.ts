import { type ChildProcess, fork } from "node:child_process";
import { setPriority } from "node:os";
import { join, relative } from "node:path";
import type { Question, TestReport } from "./messages.ts";

export type Outcome =
  | { readonly type: "passed"; readonly tookMs: number }
  | { readonly type: "failed"; readonly failures: readonly string[] }
  | { readonly type: "timeout" };

/** Thrown if a run has exceeded `timeoutMs` and its process was killed. */
class TimeoutError extends Error {}

/**
 * Runs the tests of one package in a separate process, one after another. After a timeout, the process and its child processes are killed,
 * and the next run starts a new process.
 */
export class TestRunner {
  readonly #root: string;
  readonly #folder: string;
  #child: ChildProcess | undefined;
  #isWarm = false;

  readonly #reachedPath: string | undefined;

  /** @param reachedPath file to which the tests write the regions that they reached */
  constructor(root: string, folder: string, reachedPath?: string) {
    this.#root = root;
    this.#folder = folder;
    this.#reachedPath = reachedPath;
  }

  /** Returns the package's test files as paths from the root. */
  async specs(timeoutMs: number): Promise<readonly string[]> {
    const answer = await this.#ask({ type: "specs" }, timeoutMs);
    if (answer.type !== "specs") throw new Error(`specs of ${this.#folder} answered ${answer.type}`);
    return answer.specs.map((spec) => relative(this.#root, spec).replaceAll("\\", "/"));
  }

  /**
   * True if the process has already run tests. Measured times then do not include the loading and transforming of
   * sources.
   */
  get isWarm(): boolean {
    return this.#isWarm;
  }

  async run(
    specs: readonly string[],
    mutant: { path: string; text: string } | undefined,
    timeoutMs: number,
  ): Promise<Outcome> {
    const broken = mutant && { file: join(this.#root, mutant.path), text: mutant.text };
    try {
      const answer = await this.#ask(
        { type: "run", specs: specs.map((spec) => join(this.#root, spec)), ...(broken && { mutant: broken }) },
        timeoutMs,
      );
      if (answer.type !== "ran") throw new Error(`run in ${this.#folder} answered ${answer.type}`);
      this.#isWarm = true;
      const { failures, tookMs } = answer;
      return failures.length > 0 ? { type: "failed", failures } : { type: "passed", tookMs };
    } catch (error) {
      if (error instanceof TimeoutError) return { type: "timeout" };
      return { type: "failed", failures: [error instanceof Error ? error.message : String(error)] };
    }
  }

  close(): void {
    const pid = this.#child?.pid;
    this.#child = undefined;
    this.#isWarm = false;
    if (pid === undefined) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // The process has already ended.
    }
  }

  #ask(question: Question, timeoutMs: number): Promise<TestReport> {
    const child = this.#started();
    const { promise, resolve, reject } = Promise.withResolvers<TestReport>();
    const onExit = (): void => reject(new Error(`the tests of ${this.#folder} ended their process`));
    const timer = setTimeout(() => reject(new TimeoutError(`no answer after ${timeoutMs} ms`)), timeoutMs);
    child.once("message", (answer: TestReport) =>
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

  /**
   * Starts the process with low priority, and in its own process group, so that its child processes can be killed
   * together with it.
   */
  #started(): ChildProcess {
    if (this.#child) return this.#child;
    const { KUBEBUILDER_ASSETS: _, ...env } = process.env;
    this.#child = fork(join(import.meta.dirname, "test-child.ts"), [], {
      cwd: join(this.#root, this.#folder),
      env: { ...env, ...(this.#reachedPath && { MUTANTS_REACHED: this.#reachedPath, MUTANTS_ROOT: this.#root }) },
      detached: true,
      execArgv: ["--max-old-space-size=2048"],
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    if (this.#child.pid !== undefined) setPriority(this.#child.pid, 10);
    return this.#child;
  }
}
