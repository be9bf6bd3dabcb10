import { flushCompileCache } from "node:module";
import { sealObjectPrototype } from "@kubewright/apimachinery";
import { systemClock } from "@kubewright/clock";
import { dieWithParent, thisParent } from "./die-with-parent.ts";
import { type Io, processIo } from "./io.ts";
import { stopSignal } from "./stop-signal.ts";

/** What was compiled is kept for the next start once the server has had time to come up. */
const compileCacheDelayMs = 2_000;

/** Runs a program that stands for another: it ends at a signal, or with its parent, whichever comes first. */
export async function runStandIn(
  run: (argv: readonly string[], io: Io, signal: AbortSignal) => Promise<number>,
): Promise<void> {
  sealObjectPrototype();
  const { signal, release } = stopSignal();
  const parent = dieWithParent(thisParent(process.env), () => process.exit(1));
  const cache = systemClock.after(compileCacheDelayMs, () => flushCompileCache(), { unref: true });
  const code = await run(process.argv.slice(2), processIo, signal);
  parent.cancel();
  cache.cancel();
  release();
  process.exit(code);
}
