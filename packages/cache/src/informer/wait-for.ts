import { type Logger, silentLogger } from "@kubewright/log";

/** Anything that callers can wait for, such as an informer or a handler registration. @see client-go tools/cache DoneChecker */
export interface DoneChecker {
  readonly name: string;
  /** Resolves to true when done; to false if the signal aborts first. */
  synced(signal?: AbortSignal): Promise<boolean>;
}

/**
 * Waits until all are done.
 *
 * @param options if `what`, a description for logs, is given, progress is logged: the start, each checker that is done, and finally those
 * that are not
 * @returns true if all are done; false if the signal aborts first
 * @see client-go tools/cache WaitFor
 */
export async function waitFor(
  checkers: readonly DoneChecker[],
  options: {
    readonly what?: string | undefined;
    readonly signal?: AbortSignal | undefined;
    readonly logger?: Logger | undefined;
  } = {},
): Promise<boolean> {
  const { what, signal } = options;
  const logger = what ? (options.logger ?? silentLogger) : silentLogger;
  logger.info({ for: what }, "waiting");
  const missing: string[] = [];
  await Promise.all(
    checkers.map(async (checker) => {
      if (await checker.synced(signal)) logger.info({ for: what, instance: checker.name }, "done waiting");
      else missing.push(checker.name);
    }),
  );
  if (missing.length > 0)
    logger.info({ for: what, cause: causeOf(signal), instances: missing.sort() }, "timed out waiting");
  return missing.length === 0;
}

const causeOf = (signal: AbortSignal | undefined): string =>
  signal?.reason instanceof Error ? signal.reason.message : String(signal?.reason ?? "stopped");
