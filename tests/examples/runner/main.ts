import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import process from "node:process";
import { createVitest, type TestModule } from "vitest/node";
import { type Roles, verbsOf } from "./roles.ts";
import { withoutPlugin } from "./without-plugin.ts";

/** The result of an example's tests without one verb, or with all. */
export interface Outcome {
  readonly example: string;
  /** Undefined: with all verbs. */
  readonly verb?: string | undefined;
  readonly isPassed: boolean;
  readonly errors: readonly string[];
}

const examples = join(import.meta.dirname, "..", "..", "..", "examples");
const conditions = ["@kubewright/source", "node", "import", "module", "default"];

/** Runs the tests of examples in one process, once with their roles and once without each verb. */
async function outcomes(prefix: string): Promise<Outcome[]> {
  const names = readdirSync(examples).filter((name) => /^\d/.test(name) && name.startsWith(prefix));
  const roles = new Map<string, Roles>();
  for (const name of names) roles.set(name, (await import(join(examples, name, "role.ts"))) as Roles);
  const exportsOf = (path: string) => Object.keys(roles.get(relative(examples, path).split("/")[0] ?? "") ?? {});
  const vitest = await createVitest(
    {
      config: false,
      root: join(import.meta.dirname, ".."),
      watch: false,
      pool: "forks", // not threads: Node aborts when one ends with an HTTP/2 connection that is still read
      isolate: false,
      maxWorkers: 2,
      reporters: [{}],
      testTimeout: 30_000,
      hookTimeout: 30_000,
      setupFiles: ["first-failure.ts", "without-streaming.ts"].map((file) => join(import.meta.dirname, file)),
    },
    { plugins: [withoutPlugin(exportsOf)], resolve: { conditions }, ssr: { resolve: { conditions } } },
  );
  const cases = [...roles].flatMap(([example, all]) => {
    const file = join(examples, example, example === "01-minimal" ? "role.test.ts" : "main.test.ts");
    const verbs = [undefined, ...verbsOf(all)];
    return verbs.map((verb, index) => ({ example, verb, module: `${file}?without=${index - 1}` }));
  });
  try {
    const project = vitest.getRootProject();
    await vitest.runTestSpecifications(cases.map(({ module }) => project.createSpecification(module)));
    const modules = new Map(vitest.state.getTestModules().map((module) => [module.moduleId, module]));
    return cases.map(({ example, verb, module }) => ({ example, verb, ...resultOf(modules.get(module)) }));
  } finally {
    await vitest.close();
  }
}

function resultOf(module: TestModule | undefined): Pick<Outcome, "isPassed" | "errors"> {
  if (!module) return { isPassed: false, errors: ["it did not run"] };
  const failed = [...module.children.allTests("failed")].flatMap((test) => test.result().errors ?? []);
  const errors = [...module.errors(), ...failed].map(({ message }) => message);
  return { isPassed: module.ok(), errors };
}

if (process.argv.includes("--help")) {
  console.log(`node tests/examples/runner/main.ts [prefix]

For each verb in the roles of the examples whose names start with the prefix, removes the verb and runs the tests. Prints JSON.`);
  process.exit(0);
}
console.log(JSON.stringify(await outcomes(process.argv[2] ?? "")));
process.exitCode = 0; // vitest counts failures, which are expected here
