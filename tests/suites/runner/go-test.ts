import type { GinkgoOptions, SuiteResult } from "./ginkgo.ts";
import type { BuiltSuite } from "./go-suite.ts";
import { runProgram } from "./run-program.ts";

/** Runs tests without Ginkgo; each subtest counts as one, and so do its parents. */
export async function runGoTest(
  suite: BuiltSuite,
  { args = [], env, timeoutMs }: GinkgoOptions,
): Promise<SuiteResult & { readonly output: string }> {
  const { output } = await runProgram(suite.program, ["-test.v", ...args], {
    folder: suite.folder,
    ...(env ? { env } : {}),
    timeoutMs,
  });
  const named = (state: string): string[] =>
    [...output.matchAll(new RegExp(`^ *--- ${state}: (.*) \\([\\d.]+s\\)$`, "gm"))].map(([, name = ""]) => name);
  return { passed: named("PASS"), failed: named("FAIL"), output };
}
