import { createRequire, registerHooks } from "node:module";
import process from "node:process";
import type { importNatively } from "./native-import.ts";

/**
 * Loads an engine with Node's own module loader. A test runner that transforms modules would otherwise give the program
 * a different copy of the libraries.
 *
 * @param from URL of the module that calls this function @param name name of the engine's file, without its extension, in the same folder
 * as `from`
 * @param member name of the function to return
 */
export async function loadNatively<F>(from: string, name: string, member: string): Promise<F> {
  const isSource = import.meta.url.endsWith(".ts");
  const extension = isSource ? "ts" : "js";
  const native: { readonly importNatively: typeof importNatively } = createRequire(import.meta.url)(
    `./native-import.${extension}`,
  );
  const conditions = ["@kubewright/source"];
  // The packages' sources, as in the test runner.
  const hooks = isSource
    ? registerHooks({
        resolve: (specifier, context, next) =>
          next(specifier, { ...context, conditions: [...conditions, ...context.conditions] }),
      })
    : undefined;
  try {
    const engine = await native.importNatively(new URL(`./${name}.${extension}`, from).href);
    return Reflect.get(engine, member) as F; // the module's own type
  } finally {
    hooks?.deregister();
  }
}

/** Runs a program in this thread, then removes the listeners that the program and its logger added to this process. */
export async function inThisThread<T>(run: () => Promise<T>): Promise<T> {
  const before = new Map(process.eventNames().map((name) => [name, process.rawListeners(name)]));
  try {
    return await run();
  } finally {
    for (const name of process.eventNames())
      for (const listener of process.rawListeners(name))
        if (!before.get(name)?.includes(listener)) process.off(name, listener as () => void); // any listener
  }
}
