import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * Child process that imports a program's modules and reports a description. Isolates code that the modules run at top level or that never
 * ends.
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

/** Lets the program set up a manager that never runs. */
async function describe({ Manager }: Library): Promise<object> {
  const [entry = ""] = paths;
  const { options, setup }: Program = await imported(entry);
  if (typeof setup !== "function")
    throw new Error(`${entry} exports no function setup; add export function setup(manager: Manager): void { … }`);
  const manager = new Manager({ ...options });
  await setup(manager);
  return manager.describe();
}

/** Returns each exported kind once: values with the members of a kind. Skips values that combine the versions of a kind. */
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
// The event loop is empty, but no description was sent.
process.once("beforeExit", () => process.send?.({ waits: true }));
answer().then(
  (told) => process.send?.(told, () => process.exit(0)),
  (error: unknown) => {
    const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined };
    process.send?.({ message, stack }, () => process.exit(0));
  },
);
