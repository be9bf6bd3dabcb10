import { subscribe } from "node:diagnostics_channel";
import { createServer } from "node:net";
import process from "node:process";
import type { Console } from "@kubewright/console";
import type { Manager } from "@kubewright/manager";
import { wantedConsole } from "./console-env.ts";
import { StatusLoops } from "./status-loops.ts";

// Node.js loads this module into the program's process before the program's own code. It warns of endless reconciles, adds a console to the
// first manager unless the program has its own, and prints the console's address. The objects that the channels publish come from the
// program's own packages, whose version may differ from this one.
subscribe("kubewright.manager.run", (manager) => {
  const warn = (text: string): void => void process.stderr.write(text);
  const loops = new StatusLoops({ manager: manager as Manager, warn });
  loops.run(new AbortController().signal).catch(ignoreAfterStop);
});

/** Ignores failed reads: the manager may have stopped, or lack a method because it is older. Neither harms the program. */
function ignoreAfterStop(): void {}

const wanted = wantedConsole(process.env);
if (wanted) {
  let hasConsole = false;
  subscribe("kubewright.console", (view) => {
    hasConsole = true;
    void print(view as Console);
  });
  subscribe("kubewright.manager.run", (manager) => {
    if (!hasConsole) void give(manager as Manager, wanted);
    hasConsole = true;
  });
}

async function give(manager: Manager, { port, session }: { readonly port: string; readonly session: string }) {
  try {
    const [{ addConsole }, free] = await Promise.all([import("@kubewright/console"), isFree(Number(port))]);
    addConsole(manager, { bindAddress: `127.0.0.1:${free ? port : 0}`, session });
  } catch (error) {
    // This happens, for example, while the manager is stopping.
    process.stderr.write(`  no console: ${error instanceof Error ? error.message : String(error)}\n`);
  }
}

async function print(view: Console): Promise<void> {
  await view.ready().then(
    () => process.stdout.write(`  console ${view.newUrl()}\n`),
    () => {}, // the manager reports the same error
  );
}

function isFree(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const server = createServer();
  server.once("error", () => resolve(false));
  server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  return promise;
}
