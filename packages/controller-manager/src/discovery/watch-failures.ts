import { isExpired, isNotFound } from "@kubewright/apimachinery";
import type { Logger } from "@kubewright/log";

/**
 * Logs interruptions of an informer's watch. It is not a failure if the kind or version is no longer served: its CRD
 * was deleted, and the next discovery run will stop the informer.
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
