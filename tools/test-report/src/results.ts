import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from "vitest/node";

declare module "vitest" {
  interface TaskMeta {
    /** Requirement of a test or suite, and how to meet it. The report shows it for tests that are skipped. */
    needs?: string;
  }
}

/** Content of a package's `test-results.json`. */
export interface Results {
  readonly passed: number;
  readonly skipped: readonly Skipped[];
  readonly failed: readonly Failure[];
}

export interface Skipped {
  readonly name: string;
  /** Unmet requirement of the test, or the note with which it was skipped. */
  readonly reason?: string | undefined;
}

/** A failed test or hook, a file that cannot be loaded, or an unhandled error. */
export interface Failure {
  readonly name: string;
  readonly message: string;
}

/** Writes `test-results.json`. Vitest's own JSON report contains neither failed hooks nor their errors. */
export class ResultsReporter implements Reporter {
  #root = "";

  onInit(vitest: Vitest): void {
    this.#root = vitest.config.dir ?? vitest.config.root;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly { readonly message: string }[]): void {
    let passed = 0;
    const [skipped, failed]: [Skipped[], Failure[]] = [[], []];
    const fail = (name: string, errors: readonly { readonly message: string }[]): void => {
      if (errors.length > 0) failed.push({ name, message: errors.map((each) => each.message).join("\n") });
    };
    for (const file of modules) {
      const path = relative(this.#root, file.moduleId).replaceAll("\\", "/");
      fail(path, file.errors());
      for (const suite of file.children.allSuites()) fail(`${path}: around ${suite.fullName}`, suite.errors());
      for (const test of file.children.allTests()) {
        const result = test.result();
        if (result.state === "passed") passed += 1;
        else if (result.state === "failed") fail(`${path}: ${test.fullName}`, result.errors);
        else {
          const note = result.state === "skipped" ? result.note : undefined;
          const { needs } = test.meta();
          const reason = note ?? (isInFailedSuite(test) ? "a hook failed" : needs && `needs ${needs}`);
          skipped.push({ name: test.fullName, reason });
        }
      }
    }
    fail("outside of tests", unhandled);
    const results: Results = { passed, skipped, failed };
    writeFileSync(join(this.#root, "test-results.json"), JSON.stringify(results));
  }
}

function isInFailedSuite({ parent }: TestCase | TestSuite): boolean {
  return parent.errors().length > 0 || (parent.type === "suite" && isInFailedSuite(parent));
}
