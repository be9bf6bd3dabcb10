import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Reporter, TestModule, Vitest } from "vitest/node";

/** What one package's test run leaves in its `test-results.json`. */
export interface Results {
  readonly passed: number;
  /** Names of the tests that did not run. */
  readonly skipped: readonly string[];
  readonly failed: readonly Failure[];
}

/** A test that failed, a hook, a file that does not load, or an error that nothing caught. */
export interface Failure {
  readonly name: string;
  readonly message: string;
}

/** Writes `test-results.json`. Vitest's own JSON report names neither the hook that failed nor its error. */
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
