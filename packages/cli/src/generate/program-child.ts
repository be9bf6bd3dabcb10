import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * Child process that imports a program's modules and sends back a description. It isolates code that runs at top level or never ends.
 */
interface Program {
  readonly options?: object;
  readonly setup?: unknown;
}
interface Library {
  readonly Manager: new (options: object) => { describe(): object };
}

const [root = "", question = "", ...paths] = process.argv.slice(2);

const imported = (path: string): Promise<object> => import(pathToFileURL(join(root, path)).href);

/** Calls the program's `setup` with a manager that never runs, and describes the result. */
async function describe({ Manager }: Library): Promise<object> {
  const [entry = ""] = paths;
  const { options, setup }: Program = await imported(entry);
  if (typeof setup !== "function")
    throw new Error(
      `${entry} does not export a function named setup; add export function setup(manager: Manager): void { … }`,
    );
  const manager = new Manager({ ...options });
  await setup(manager);
  return manager.describe();
}

/** Returns each exported kind once, recognized by its members. Skips exports that combine versions of a kind. */
async function kinds(): Promise<object[]> {
  const known = new Set<unknown>();
  const found: object[] = [];
  for (const path of paths)
    for (const [exportName, value] of Object.entries(await imported(path))) {
      if (exportName === "default" || typeof value !== "object" || value === null || known.has(value)) continue;
      known.add(value);
      const { group, version, kind, plural, scope, crd, hub } = value;
      const texts = [group, version, kind, plural, scope];
      if (texts.every((text) => typeof text === "string") && typeof crd === "object" && hub === undefined)
        found.push({ path, exportName, group, version, kind, plural, scope, crd });
    }
  return found;
}

async function answer(): Promise<object> {
  const library = createRequire(join(root, "package.json")).resolve("kubewright");
  const loaded: Library = await import(pathToFileURL(library).href);
  process.send?.({ loaded: true });
  return question === "kinds" ? { kinds: await kinds() } : { description: await describe(loaded) };
}

// Library frames may fill a stack trace before the first frame of the project.
Error.stackTraceLimit = 100;
process.exitCode = 1;
// This event means that the event loop is empty although no description has been sent.
process.once("beforeExit", () => process.send?.({ waits: true }));
answer().then(
  (description) => process.send?.(description, () => process.exit(0)),
  (error: unknown) => {
    const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined };
    process.send?.({ message, stack }, () => process.exit(0));
  },
);
