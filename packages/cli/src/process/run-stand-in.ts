import { flushCompileCache } from "node:module";
import { parse } from "node:path";
import { sealObjectPrototype } from "@kubewright/apimachinery";
import { systemClock } from "@kubewright/clock";
import { dieWithParent, thisParent } from "./die-with-parent.ts";
import { type Io, processIo } from "./io.ts";
import { stopSignal } from "./stop-signal.ts";

/** Delay before the compile cache is written, long enough for the server to start. */
const compileCacheDelayMs = 2_000;

/** Environment variable that, if set to `1`, keeps a stand-in running after its parent process has ended. */
const outliveParent = "KUBEWRIGHT_OUTLIVE_PARENT";

/**
 * Runs a stand-in until it receives a signal or its parent process ends, so that tests leave no processes behind even
 * when they are killed.
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
            `${programName}: exiting because the parent process ${parent.id} has ended; set ${outliveParent}=1 to keep it running\n`,
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
