import { dieWithParent, type ParentProcess } from "./die-with-parent.ts";

/**
 * Returns a signal that aborts on SIGINT or SIGTERM. A second SIGINT or SIGTERM ends the process immediately.
 *
 * @param parent parent process; when it ends, the signal aborts as well
 * @returns the signal, and `release`, which removes the handlers so that the process can end
 */
export function stopSignal(parent?: ParentProcess): { readonly signal: AbortSignal; readonly release: () => void } {
  const stop = new AbortController();
  const onSignal = (name: NodeJS.Signals): void => {
    if (stop.signal.aborted) process.exit(name === "SIGINT" ? 130 : 143);
    stop.abort(name);
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  const watch = parent && dieWithParent(parent, () => stop.abort());
  return {
    signal: stop.signal,
    release: () => {
      watch?.cancel();
      process.off("SIGINT", onSignal);
      process.off("SIGTERM", onSignal);
    },
  };
}
