/** The members of `process` that {@link signalContext} needs. */
export interface SignalSource {
  on(signal: "SIGINT" | "SIGTERM", listener: () => void): unknown;
  /** Ends the process immediately. */
  exit(code: number): void;
}

let isSetUp = false;

/**
 * Returns a signal that aborts on the first SIGINT or SIGTERM. A second SIGINT or SIGTERM ends the process with code 1.
 *
 * @throws {Error} if called twice, because signals affect the whole process
 * @see controller-runtime pkg/manager/signals SetupSignalHandler
 */
export function signalContext(source: SignalSource = process): AbortSignal {
  if (source === process && isSetUp) throw new Error("the signal handler can be set up only once");
  if (source === process) isSetUp = true;
  const stop = new AbortController();
  const onSignal = (): void => {
    if (stop.signal.aborted) source.exit(1);
    else stop.abort();
  };
  source.on("SIGINT", onSignal);
  source.on("SIGTERM", onSignal);
  return stop.signal;
}
