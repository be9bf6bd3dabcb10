import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BuiltSuite } from "./go-suite.ts";
import { runProgram } from "./run-program.ts";

/** The used part of Ginkgo's JSON report. */
interface SpecReport {
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeText: string;
  readonly LeafNodeType: string;
  readonly State: string;
  readonly Failure?: { readonly Message: string };
}

export interface SuiteResult {
  /** Full names of the specs that passed. */
  readonly passed: readonly string[];
  /** Full name and message of each failed spec, without those that were skipped or are pending. */
  readonly failed: readonly string[];
}

export interface GinkgoOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Command line that starts the suite's program. Default: none is necessary. */
  readonly enter?: readonly string[] | undefined;
}

/**
 * Runs a Ginkgo suite.
 *
 * @throws {Error} with its output if it left no report
 */
export async function runGinkgo(
  suite: BuiltSuite,
  { args = [], env, timeoutMs, enter = [] }: GinkgoOptions,
): Promise<SuiteResult> {
  const scratch = mkdtempSync(join(tmpdir(), "kubewright-suite-"));
  try {
    const report = join(scratch, "report.json");
    const [program = "", ...words] = [...enter, suite.program];
    const { code, output } = await runProgram(
      program,
      [...words, `--ginkgo.json-report=${report}`, "--ginkgo.no-color", ...args],
      { folder: suite.folder, ...(env ? { env } : {}), timeoutMs },
    );
    return resultOf(
      readReport(report, () => `the suite ended with code ${code} and no report:\n${output.slice(-4_000)}`),
    );
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function readReport(path: string, problem: () => string): SpecReport[] {
  try {
    const suites = JSON.parse(readFileSync(path, "utf8")) as { readonly SpecReports: SpecReport[] | null }[];
    return suites.flatMap(({ SpecReports }) => SpecReports ?? []);
  } catch (cause) {
    throw new Error(problem(), { cause });
  }
}

/** States of a spec without a result. */
const silent = new Set(["pending", "skipped"]);

function resultOf(specs: readonly SpecReport[]): SuiteResult {
  const nameOf = ({ ContainerHierarchyTexts, LeafNodeText, LeafNodeType }: SpecReport): string =>
    [...(ContainerHierarchyTexts ?? []), LeafNodeText || `[${LeafNodeType}]`].join(" ");
  return {
    passed: specs.filter(({ State, LeafNodeType }) => State === "passed" && LeafNodeType === "It").map(nameOf),
    failed: specs
      .filter(({ State }) => State !== "passed" && !silent.has(State))
      .map((spec) => `${nameOf(spec)}: ${spec.State}: ${spec.Failure?.Message ?? ""}`),
  };
}
