import { existsSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dependentsOf, packagesOf } from "./dependents.ts";
import { ImportGraph, nearestFirst } from "./import-graph.ts";
import type { Mutant } from "./mutants.ts";
import { type Reached, reaches } from "./reach.ts";
import { Records, type TestRecord } from "./records.ts";
import { TestRunner } from "./test-runner.ts";

export interface Verdict {
  readonly mutant: Mutant;
  readonly result: "caught" | "timeout" | "survived" | "cut short" | "untried";
  /** Test that detected the mutant. */
  readonly by?: string;
  /**
   * For a mutant that was not tried completely: the number of test files that were run, and the number of test files
   * that may reach the mutant.
   */
  readonly files?: { readonly shown: number; readonly of: number };
}

/** Thrown if the tests fail without a mutant, so that they cannot judge mutants. */
export class RedError extends Error {
  override readonly name = "RedError";
}

export interface ExaminationOptions {
  readonly root: string;
  /**
   * True to run more tests after the package's tests that import the file: first all other tests of the package, and then the
   * tests of dependent packages that import the file.
   */
  readonly allTests: boolean;
  /** Maximum number of the package's test files that import the file. */
  readonly nearest: number;
  /** Maximum total duration of the tests that reach the mutant, in milliseconds, measured without a mutant. */
  readonly atMostMs: number;
  /** Time at which to stop, on the clock of `performance.now()`. */
  readonly deadline: number;
  /**
   * Minimum timeout of tests, in milliseconds. Tests time out if they exceed this value, and also take four times as
   * long as without a mutant.
   */
  readonly atLeastMs: number;
  readonly recordsFolder?: string | undefined;
}

interface Spec {
  readonly folder: string;
  readonly spec: string;
}

const greenMs = 300_000;

const packageOf = (path: string): string => path.split("/").slice(0, 2).join("/");

/** Tries mutants one at a time. Tests are first run without a mutant, and tests that do not reach a mutant are skipped for it. */
export class Examination {
  readonly #options: ExaminationOptions;
  readonly #graph: ImportGraph;
  readonly #records: Records;
  readonly #runners = new Map<string, TestRunner>();
  readonly #specsOf = new Map<string, readonly string[]>();
  readonly #red = new Map<string, string>();
  #believed = 0;
  readonly #reachedPath = join(tmpdir(), `mutants-reached-${process.pid}.json`);

  constructor(options: ExaminationOptions) {
    this.#options = options;
    this.#graph = new ImportGraph(options.root, packagesOf(options.root));
    this.#records = new Records(this.#graph, options.recordsFolder);
  }

  /**
   * Returns the tests that fail without a mutant, with their messages; they are skipped.
   *
   * @throws {RedError} if there are no other tests
   */
  get red(): readonly string[] {
    const red = [...this.#red.values()];
    if (red.length > 0 && this.#believed === 0) throw new RedError(`without a mutant: ${red.join("\n")}`);
    return red;
  }

  /** Tries one mutant. @param sharing number of mutants, including this one, that share the time until the deadline */
  async try(mutant: Mutant, sharing = 1): Promise<Verdict> {
    const share = performance.now() + (this.#options.deadline - performance.now()) / sharing;
    const own = packageOf(mutant.path);
    const text = this.#graph.textOf(mutant.path) ?? "";
    const isOutOfReach = ({ reached }: TestRecord): boolean =>
      reached !== undefined && !reaches(reached, mutant.path, text, mutant.start);
    let shownMs = 0;
    let shown = 0;
    let left = 0;
    for await (const { folder, spec } of this.#specsFor(mutant.path)) {
      if (this.#isOver() || (shown > 0 && performance.now() >= share)) {
        if (folder !== own) break; // listing the tests of other packages takes time
        const known = this.#records.get(spec);
        if (!known || !isOutOfReach(known)) left++;
        continue;
      }
      const record = await this.#recordOf(folder, spec);
      if (!record) {
        if (this.#isOver()) left++;
        continue;
      }
      if (isOutOfReach(record)) continue;
      if (this.#isOver() || (shown > 0 && shownMs + record.tookMs > this.#options.atMostMs)) {
        left++;
        continue;
      }
      shownMs += record.tookMs;
      const runner = this.#runner(folder);
      if (!runner.isWarm && !(await this.#passing(runner, spec))) continue;
      const outcome = await runner.run([spec], mutant, this.#within(this.#options.atLeastMs + 4 * record.tookMs));
      if (outcome.type === "timeout" && this.#isOver()) {
        left++;
        continue;
      }
      shown++;
      if (outcome.type === "timeout") return { mutant, result: "timeout", by: `${spec} timed out` };
      if (outcome.type === "failed") return { mutant, result: "caught", by: outcome.failures[0] ?? "" };
      const { tookMs } = outcome;
      // The first run also loads modules that later runs share.
      if (tookMs < record.tookMs / 2) this.#records.set(spec, { ...record, tookMs });
    }
    if (left === 0) return { mutant, result: this.#isOver() && shown === 0 ? "untried" : "survived" };
    return shown === 0
      ? { mutant, result: "untried" }
      : { mutant, result: "cut short", files: { shown, of: shown + left } };
  }

  close(): void {
    for (const runner of this.#runners.values()) runner.close();
    rmSync(this.#reachedPath, { force: true });
  }

  async *#specsFor(path: string): AsyncGenerator<Spec> {
    const folder = packageOf(path);
    const all = await this.#specs(folder);
    const related = nearestFirst(this.#graph, all, path).slice(0, this.#options.nearest);
    for (const spec of related) yield { folder, spec };
    if (!this.#options.allTests) return;
    for (const spec of all) if (!related.includes(spec)) yield { folder, spec };
    for (const dependent of dependentsOf(this.#options.root, folder)) {
      for (const spec of nearestFirst(this.#graph, await this.#specs(dependent), path))
        yield { folder: dependent, spec };
      this.#runner(dependent).close();
    }
  }

  async #specs(folder: string): Promise<readonly string[]> {
    if (this.#isOver()) return [];
    const known = this.#specsOf.get(folder) ?? (await this.#runner(folder).specs(greenMs));
    this.#specsOf.set(folder, known);
    return known;
  }

  /** Returns the result of a run without a mutant. */
  async #recordOf(folder: string, spec: string): Promise<TestRecord | undefined> {
    const known = this.#records.get(spec);
    if (known) this.#believed++;
    if (known || this.#isOver() || this.#red.has(spec)) return known;
    rmSync(this.#reachedPath, { force: true });
    const recorded = await this.#runner(folder, this.#reachedPath).run([spec], undefined, this.#within(greenMs));
    if (recorded.type === "passed") this.#believed++;
    const record =
      recorded.type === "passed"
        ? { tookMs: recorded.tookMs, reached: this.#reached() }
        : await this.#passing(this.#runner(folder), spec);
    if (record) this.#records.set(spec, record);
    return record;
  }

  /**
   * Returns the regions that the tests of a file reached. The result is empty if all tests of the file were skipped: nothing ran,
   * and the stored result belongs to an earlier file.
   */
  #reached(): Reached {
    return existsSync(this.#reachedPath) ? (JSON.parse(readFileSync(this.#reachedPath, "utf8")) as Reached) : {};
  }

  /**
   * Runs the tests without a mutant; if they fail, runs them a second time, because the cause may be the load of the
   * machine.
   */
  async #passing(runner: TestRunner, spec: string): Promise<TestRecord | undefined> {
    for (let chances = 2; !this.#isOver(); chances--) {
      const outcome = await runner.run([spec], undefined, this.#within(greenMs));
      if (outcome.type === "passed") {
        this.#believed++;
        return { tookMs: outcome.tookMs };
      }
      const why = outcome.type === "failed" ? outcome.failures.join("\n") : `${spec} did not end`;
      if (chances === 1 && !this.#isOver()) {
        this.#red.set(spec, why);
        return undefined;
      }
    }
    return undefined;
  }

  #runner(folder: string, reachedPath?: string): TestRunner {
    const key = `${folder} ${reachedPath ?? ""}`;
    const known = this.#runners.get(key);
    if (known) return known;
    const runner = new TestRunner(this.#options.root, folder, reachedPath);
    this.#runners.set(key, runner);
    return runner;
  }

  #isOver(): boolean {
    return performance.now() >= this.#options.deadline;
  }

  #within(ms: number): number {
    return Math.max(1, Math.min(ms, this.#options.deadline - performance.now()));
  }
}
