import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Reporter, TestModule, Vitest } from "vitest/node";

/** Content of a package's `test-results.json`. */
export interface Results {
  readonly passed: number;
  /** Names of skipped tests. */
  readonly skipped: readonly string[];
  readonly failed: readonly Failure[];
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
    const [skipped, failed]: [string[], Failure[]] = [[], []];
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
        else skipped.push(test.fullName);
      }
    }
    fail("outside of tests", unhandled);
    const results: Results = { passed, skipped, failed };
    writeFileSync(join(this.#root, "test-results.json"), JSON.stringify(results));
  }
}
