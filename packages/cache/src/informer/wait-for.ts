import { type Logger, silentLogger } from "@kubewright/log";

/** Something that is done at some time: an informer that syncs, a handler that has caught up. */
export interface DoneChecker {
  readonly name: string;
  /** Resolves when it is done (true), or when the signal aborts first. */
  synced(signal?: AbortSignal): Promise<boolean>;
}

/**
 * Waits until all are done. With a description, what is waited for is logged, each one that is done, and at the end who is not.
 *
 * @returns whether all are done; false when the signal aborts before
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
