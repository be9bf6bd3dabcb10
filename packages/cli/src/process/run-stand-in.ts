import { flushCompileCache } from "node:module";
import { parse } from "node:path";
import { sealObjectPrototype } from "@kubewright/apimachinery";
import { systemClock } from "@kubewright/clock";
import { dieWithParent, thisParent } from "./die-with-parent.ts";
import { type Io, processIo } from "./io.ts";
import { stopSignal } from "./stop-signal.ts";

/** What was compiled is kept for the next start once the server has had time to come up. */
const compileCacheDelayMs = 2_000;

/** Set to `1`, it keeps a stand-in running after the process that started it has ended. */
const outliveParent = "KUBEWRIGHT_OUTLIVE_PARENT";

/**
 * Runs a program that stands for another: it ends at a signal, or with its parent, whichever comes first. Tests that are killed leave
 * nothing behind this way.
 */
export async function runStandIn(
  run: (argv: readonly string[], io: Io, signal: AbortSignal) => Promise<number>,
): Promise<void> {
  sealObjectPrototype();
  const { signal, release } = stopSignal();
  const parent = thisParent(process.env);
  const programName = parse(process.argv[1] ?? "").name;
  const watch =
    process.env[outliveParent] === "1"
      ? undefined
      : dieWithParent(parent, () => {
          processIo.err(
            `${programName}: process ${parent.id}, which started this one, has ended: exiting; to keep it running, start it with ${outliveParent}=1\n`,
          );
          process.exit(1);
        });
  const cache = systemClock.after(compileCacheDelayMs, () => flushCompileCache(), { unref: true });
  const code = await run(process.argv.slice(2), processIo, signal);
  watch?.cancel();
  cache.cancel();
  release();
  process.exit(code);
}
