/** The process that runs the tests of the package in its working directory. Nothing is written: a mutant stands in memory alone. */
import type { Vitest } from "vitest/node";
import { BaseSequencer, createVitest } from "vitest/node";
import type { Answer, Question } from "./messages.ts";

let mutant: { readonly file: string; readonly text: string } | undefined;
let failures: string[] = [];

const vitest = await createVitest(
  {
    root: process.cwd(),
    watch: false,
    bail: 1,
    update: "none",
    cache: false,
    fsModuleCache: false, // it would answer for the file on disk
    pool: "forks",
    maxWorkers: 1,
    fileParallelism: false,
    execArgv: ["--max-old-space-size=1024"],
    coverage: { enabled: false },
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
    plugins: [
      { name: "mutant", enforce: "pre", load: (id) => (id.split("?")[0] === mutant?.file ? mutant?.text : undefined) },
    ],
  },
);

process.on("message", (question: Question) => {
  answer(vitest, question)
    .catch(
      (error: unknown): Answer => ({
        type: "broken",
        message: error instanceof Error ? String(error.stack) : String(error),
      }),
    )
    .then((said) => process.send?.(said));
});
process.on("disconnect", () => process.exit());

async function answer(runner: Vitest, question: Question): Promise<Answer> {
  if (question.type === "specs") {
    if (question.file) runner.config.related = [question.file];
    else delete runner.config.related;
    const specs = await runner.getRelevantTestSpecifications();
    return { type: "specs", specs: specs.map(({ moduleId }) => moduleId) };
  }
  failures = [];
  await mutate(runner, question.mutant);
  const project = runner.getRootProject();
  await runner.runTestSpecifications(question.specs.map((spec) => project.createSpecification(spec)));
  return { type: "ran", failures };
}

async function mutate(runner: Vitest, next: typeof mutant): Promise<void> {
  for (const file of [mutant?.file, next?.file]) if (file) runner.invalidateFile(file);
  mutant = next;
}
