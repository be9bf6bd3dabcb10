import { dependentsOf } from "./dependents.ts";
import type { Mutant } from "./mutants.ts";
import { TestRunner } from "./test-runner.ts";

export interface Verdict {
  readonly mutant: Mutant;
  readonly result: "caught" | "timeout" | "survived" | "untried";
  /** The test that noticed. */
  readonly by?: string;
}

/** Tests fail although nothing is broken, so they can say nothing about mutants. */
export class RedError extends Error {
  override readonly name = "RedError";
}

export interface ExaminationOptions {
  readonly root: string;
  /** After a package's tests that import the file: all its tests, then those that import the file in packages that depend on it. */
  readonly allTests: boolean;
  /** Of the package's tests that import the file, so many. */
  readonly nearest: number;
  /** When to stop, as `performance.now()`. */
  readonly deadline: number;
  /** Tests never end that take this long and four times what they took unbroken. */
  readonly atLeastMs: number;
}

const greenMs = 300_000;

/** Tries mutants one at a time. Tests are run without any before they are believed with one. */
export class Examination {
  readonly #options: ExaminationOptions;
  readonly #runners = new Map<string, TestRunner>();
  /** How long each test file took unbroken. */
  readonly #greenMs = new Map<string, number>();

  constructor(options: ExaminationOptions) {
    this.#options = options;
  }

  /** @throws {RedError} if the tests fail without the mutant */
  async try(mutant: Mutant): Promise<Verdict> {
    for await (const { folder, spec } of this.#specsFor(mutant.path)) {
      await this.#makeSureOfGreen(folder, spec);
      if (this.#isOver()) break;
      const limitMs = this.#options.atLeastMs + 4 * (this.#greenMs.get(spec) ?? 0);
      const outcome = await this.#runner(folder).run([spec], mutant, this.#within(limitMs));
      if (outcome.type === "timeout" && this.#isOver()) break;
      if (outcome.type === "timeout") return { mutant, result: "timeout", by: `${spec} never ended` };
      if (outcome.type === "failed") return { mutant, result: "caught", by: outcome.failures[0] ?? "" };
    }
    return { mutant, result: this.#isOver() ? "untried" : "survived" };
  }

  close(): void {
    for (const runner of this.#runners.values()) runner.close();
  }

  async *#specsFor(path: string): AsyncGenerator<{ readonly folder: string; readonly spec: string }> {
    const folder = path.split("/").slice(0, 2).join("/");
    const related = (await this.#specs(folder, path)).slice(0, this.#options.nearest);
    for (const spec of related) yield { folder, spec };
    if (!this.#options.allTests) return;
    for (const spec of await this.#specs(folder, undefined)) if (!related.includes(spec)) yield { folder, spec };
    for (const dependent of dependentsOf(this.#options.root, folder)) {
      for (const spec of await this.#specs(dependent, path)) yield { folder: dependent, spec };
      this.#runner(dependent).close();
    }
  }

  async #specs(folder: string, path: string | undefined): Promise<readonly string[]> {
    return this.#isOver() ? [] : this.#runner(folder).specs(path, greenMs);
  }

  /** A second chance, as tests share the machine with others. */
  async #makeSureOfGreen(folder: string, spec: string): Promise<void> {
    for (let chances = 2; !this.#greenMs.has(spec) && !this.#isOver(); chances--) {
      const began = performance.now();
      const outcome = await this.#runner(folder).run([spec], undefined, this.#within(greenMs));
      if (outcome.type === "passed") this.#greenMs.set(spec, performance.now() - began);
      else if (chances === 1 && !this.#isOver())
        throw new RedError(
          `without a mutant: ${outcome.type === "failed" ? outcome.failures.join("\n") : `${spec} does not end`}`,
        );
    }
  }

  #runner(folder: string): TestRunner {
    const known = this.#runners.get(folder);
    if (known) return known;
    const runner = new TestRunner(this.#options.root, folder);
    this.#runners.set(folder, runner);
    return runner;
  }

  #isOver(): boolean {
    return performance.now() >= this.#options.deadline;
  }

  #within(ms: number): number {
    return Math.max(1, Math.min(ms, this.#options.deadline - performance.now()));
  }
}
