import { isExpired, isNotFound } from "@kubewright/apimachinery";
import type { Logger } from "@kubewright/log";

/**
 * Logs interruptions of an informer's watch. A kind or version that is no longer served does not count
 * as a failure: the next discovery run stops its informer.
 */
export const logWatchFailure =
  (log: Logger) =>
  (err: unknown): void => {
    if (isGone(err)) log.debug({ err }, "the kind is no longer served");
    else if (isExpired(err)) log.debug({ err }, "watch closed");
    else log.error({ err }, "failed to watch");
  };

const isGone = (error: unknown): boolean =>
  isNotFound(error) || (error instanceof Error && error.cause !== undefined && isGone(error.cause));
