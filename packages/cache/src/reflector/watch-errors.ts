import {
  findCause,
  isErrorWithCode,
  isStatusError,
  isTimeout,
  isTooManyRequests,
  KubewrightError,
  NoMatchError,
} from "@kubewright/apimachinery";
import { isConnectionError } from "@kubewright/client";

/**
 * Thrown if a watch was closed within a second without delivering an event, which suggests that the server silently
 * rejects watches.
 *
 * @see client-go tools/cache VeryShortWatchError
 */
export class VeryShortWatchError extends KubewrightError {
  override readonly name = "VeryShortWatchError";
  readonly code = "ERR_VERY_SHORT_WATCH";

  constructor(reflector: string) {
    super(
      `very short watch: ${reflector}: unexpected watch close - watch lasted less than a second and no items received`,
    );
  }
}

/** Reports whether an error is a {@link VeryShortWatchError}. */
export const isVeryShortWatchError = isErrorWithCode<VeryShortWatchError>("ERR_VERY_SHORT_WATCH");

/**
 * Thrown if the server's resource version is lower than before, because the server was restored from a backup or
 * replaced by a different one.
 */
export class WentBackInTimeError extends Error {
  override readonly name = "WentBackInTimeError";

  constructor(reflector: string, seen: string, now: string) {
    super(`${reflector}: the server went back from resource version ${seen} to ${now}`);
  }
}

/**
 * Returns the first `NoMatchError` among an error and its causes, if any. Such an error means that the kind is not
 * served.
 */
export const noMatchIn = (error: unknown): NoMatchError | undefined =>
  findCause(error, (cause): cause is NoMatchError => cause instanceof NoMatchError);

/**
 * Reports whether the error means that the server did not respond, for example during a restart. In this case, a new
 * list is unnecessary because the server's state has probably not changed.
 */
export function isTransportError(error: unknown): boolean {
  if (isConnectionError(error)) return true;
  const hasCode = (cause: unknown): cause is Error =>
    cause instanceof Error && "code" in cause && transportCodes.has(String(cause.code));
  return findCause(error, hasCode) !== undefined;
}

const transportCodes = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

/**
 * Reports whether the watch can be reopened after this error without listing again.
 *
 * @see client-go tools/cache isWatchErrorRetriable
 */
export const isWatchErrorRetriable = (error: unknown): boolean => isTransportError(error) || isTooManyRequests(error);

/**
 * Reports whether the error means that the server does not have the requested version yet. Kubernetes versions report this in three
 * different ways.
 *
 * @see client-go tools/cache isTooLargeResourceVersionError
 */
export function isTooLargeResourceVersion(error: unknown): boolean {
  if (!isStatusError(error)) return false;
  const { details, message = "" } = error.status;
  const causes = details?.causes ?? [];
  if (causes.some((cause) => cause.reason === "ResourceVersionTooLarge")) return true;
  if (!isTimeout(error) || !details) return false;
  return causes.some((cause) => cause.message === tooLarge) || message.includes(tooLarge);
}

const tooLarge = "Too large resource version";
