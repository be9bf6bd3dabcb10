import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * Run as a process of its own: imports a program, has it set up a manager that never runs, and tells what it is. So what the program's
 * modules do at their top level, or never end to do, stays there.
 */
interface Program {
  readonly options?: object;
  readonly setup?: unknown;
}
interface Library {
  readonly Manager: new (options: object) => { describe(): object };
}

const [root = "", entry = ""] = process.argv.slice(2);

async function describe(): Promise<object> {
  const library = createRequire(join(root, "package.json")).resolve("kubewright");
  const { Manager }: Library = await import(pathToFileURL(library).href);
  process.send?.({ loaded: true });
  const { options, setup }: Program = await import(pathToFileURL(join(root, entry)).href);
  if (typeof setup !== "function")
    throw new Error(`${entry}: exports no function setup: export function setup(manager: Manager): void { … }`);
  const manager = new Manager({ ...options });
  await setup(manager);
  return manager.describe();
}

// Libraries call themselves often before a stack comes to the project's own code.
Error.stackTraceLimit = 100;
process.exitCode = 1;
// Nothing is left to do, and nothing was told.
process.once("beforeExit", () =>
  process.send?.({
    message: `${entry}: waits for what never comes: setup(manager) and what it imports must not wait for anything`,
  }),
);
describe().then(
  (description) => process.send?.({ description }, () => process.exit(0)),
  (error: unknown) => {
    const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined };
    process.send?.({ message, stack }, () => process.exit(0));
  },
);
