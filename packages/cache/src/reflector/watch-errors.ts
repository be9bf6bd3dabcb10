import { isStatusError, isTimeout, isTooManyRequests, NoMatchError } from "@kubewright/apimachinery";
import { isConnectionError } from "@kubewright/client";

/** A watch was closed within a second and brought nothing: somebody refuses watches without saying so. */
export class VeryShortWatchError extends Error {
  override readonly name = "VeryShortWatchError";

  constructor(reflector: string) {
    super(
      `very short watch: ${reflector}: unexpected watch close - watch lasted less than a second and no items received`,
    );
  }
}

/** The server has a lower version than one that was seen: it was restored, or it is another one. */
export class WentBackInTimeError extends Error {
  override readonly name = "WentBackInTimeError";

  constructor(reflector: string, seen: string, now: string) {
    super(`${reflector}: the server is at resource version ${now}, and ${seen} has been seen`);
  }
}

/** That nothing of the kind is served, if an error says so or was caused by one that does. */
export function noMatchIn(error: unknown): NoMatchError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof NoMatchError) return cause;
  return undefined;
}

/** No answer came, as after a restart of the server. Its state is likely to be unchanged, so there is no need to list again. */
export function isTransportError(error: unknown): boolean {
  if (isConnectionError(error)) return true;
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ("code" in cause && transportCodes.has(String(cause.code))) return true;
  return false;
}

const transportCodes = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

/**
 * Whether opening a watch may simply be tried again.
 *
 * @see client-go tools/cache isWatchErrorRetriable
 */
export const isWatchErrorRetriable = (error: unknown): boolean => isTransportError(error) || isTooManyRequests(error);

/**
 * The server does not have the version that was asked for yet. Three generations of servers say it in three ways.
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
