/** The process that runs the tests of the package in its working directory. Mutants exist only in memory; nothing is written. */
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Vitest } from "vitest/node";
import { BaseSequencer, createVitest } from "vitest/node";
import type { Question, TestReport } from "./messages.ts";
import { recording } from "./reach.ts";

/** Root of the workspace; set only in a process that records which regions the tests reach. */
const recordedRoot = process.env.MUTANTS_REACHED ? process.env.MUTANTS_ROOT : undefined;

let mutant: { readonly file: string; readonly text: string } | undefined;
let failures: string[] = [];

const vitest = await createVitest(
  {
    root: process.cwd(),
    watch: false,
    bail: 1,
    update: "none",
    cache: false,
    fsModuleCache: false, // the cache would return the file on disk instead of the mutant
    pool: "forks",
    maxWorkers: 1,
    isolate: true, // a test file must load its modules itself to reach them
    fileParallelism: false,
    execArgv: ["--max-old-space-size=1024"],
    coverage: { enabled: false },
    ...(recordedRoot && { setupFiles: [join(import.meta.dirname, "reach-setup.ts")] }),
    onConsoleLog: () => false,
    sequence: {
      sequencer: class extends BaseSequencer {
        override sort = async (specs: Parameters<BaseSequencer["sort"]>[0]) => specs;
      },
    },
    reporters: [
      {
        onTestModuleEnd(module) {
          const failed = [...module.children.allTests("failed")].map(
            (test) => `${module.relativeModuleId}: ${test.fullName}`,
          );
          if (failed.length > 0) failures.push(...failed);
          else if (!module.ok())
            failures.push(`${module.relativeModuleId}: ${module.errors()[0]?.message ?? "failed"}`);
        },
        onTestRunEnd(_modules, errors) {
          failures.push(...errors.map((error) => `outside the tests: ${error.message}`));
        },
      },
    ],
  },
  {
    plugins: [{ name: "mutant", enforce: "pre", load: (id) => textOf(id.split("?")[0] ?? "") }],
  },
);

process.on("message", (question: Question) => {
  answer(vitest, question)
    .catch(
      (error: unknown): TestReport => ({
        type: "broken",
        message: error instanceof Error ? String(error.stack) : String(error),
      }),
    )
    .then((result) => process.send?.(result));
});
process.on("disconnect", () => process.exit());

/** Returns the text to load for a module instead of the file on disk, if it must be replaced. */
function textOf(file: string): string | undefined {
  if (file === mutant?.file) return mutant.text;
  const path = recordedRoot === undefined ? "" : relative(recordedRoot, file).replaceAll("\\", "/");
  return /^(packages|apps)\/[^/]+\/src\/.*(?<!\.test|\.d)\.ts$/.test(path)
    ? recording(path, readFileSync(file, "utf8"))
    : undefined;
}

async function answer(runner: Vitest, question: Question): Promise<TestReport> {
  if (question.type === "specs") {
    const specs = await runner.getRelevantTestSpecifications();
    return { type: "specs", specs: specs.map(({ moduleId }) => moduleId) };
  }
  failures = [];
  await mutate(runner, question.mutant);
  const project = runner.getRootProject();
  const began = performance.now();
  await runner.runTestSpecifications(question.specs.map((spec) => project.createSpecification(spec)));
  return { type: "ran", failures, tookMs: performance.now() - began };
}

async function mutate(runner: Vitest, next: typeof mutant): Promise<void> {
  for (const file of [mutant?.file, next?.file]) if (file) runner.invalidateFile(file);
  mutant = next;
}
