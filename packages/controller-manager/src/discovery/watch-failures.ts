import { isExpired, isNotFound } from "@kubewright/apimachinery";
import type { Logger } from "@kubewright/log";

/**
 * What interrupts the informers of all kinds, for the log. That a kind is gone, or one of its versions, is no failure: the definition went
 * a moment before discovery is asked again and its informer stopped.
 */
export const logWatchFailure =
  (log: Logger) =>
  (err: unknown): void => {
    if (isGone(err)) log.debug({ err }, "the kind is not served any more");
    else if (isExpired(err)) log.debug({ err }, "watch closed");
    else log.error({ err }, "failed to watch");
  };

const isGone = (error: unknown): boolean =>
  isNotFound(error) || (error instanceof Error && error.cause !== undefined && isGone(error.cause));
