import { findCause, isStatusError, isTimeout, isTooManyRequests, NoMatchError } from "@kubewright/apimachinery";
import { isConnectionError } from "@kubewright/client";

/** A watch was closed within a second without an event: something refuses watches without saying so. @see client-go tools/cache VeryShortWatchError */
export class VeryShortWatchError extends Error {
  override readonly name = "VeryShortWatchError";

  constructor(reflector: string) {
    super(
      `very short watch: ${reflector}: unexpected watch close - watch lasted less than a second and no items received`,
    );
  }
}

/** The server is at a lower version than one that was seen: it was restored from a backup, or is another server. */
export class WentBackInTimeError extends Error {
  override readonly name = "WentBackInTimeError";

  constructor(reflector: string, seen: string, now: string) {
    super(`${reflector}: the server is at resource version ${now}, and ${seen} has been seen`);
  }
}

/** The `NoMatchError` that an error is or was caused by, if any: the kind is not served. */
export const noMatchIn = (error: unknown): NoMatchError | undefined =>
  findCause(error, (cause): cause is NoMatchError => cause instanceof NoMatchError);

/** Whether there was no answer, as during a restart of the server. Its state is probably unchanged, so there is no need to list again. */
export function isTransportError(error: unknown): boolean {
  if (isConnectionError(error)) return true;
  const hasCode = (cause: unknown): cause is Error =>
    cause instanceof Error && "code" in cause && transportCodes.has(String(cause.code));
  return findCause(error, hasCode) !== undefined;
}

const transportCodes = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

/**
 * Whether it makes sense to open the watch again, without listing.
 *
 * @see client-go tools/cache isWatchErrorRetriable
 */
export const isWatchErrorRetriable = (error: unknown): boolean => isTransportError(error) || isTooManyRequests(error);

/**
 * Whether the server does not have the requested version yet. Servers have said so in three ways over the years.
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
