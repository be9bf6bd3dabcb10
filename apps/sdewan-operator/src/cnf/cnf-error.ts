import { isStatusError } from "@kubewright/apimachinery";
import { isOpenWrtError, isOpenWrtNetworkError, NameNotStorableError } from "@kubewright/openwrt";

/** Returns the HTTP status of the CNF's response, if the error contains one. */
export function codeOf(error: unknown): number | undefined {
  return isOpenWrtError(error) ? error.code : undefined;
}

/**
 * Reports whether further requests would fail in the same way, because the CNF cannot be reached or rejects the
 * credentials.
 */
export function isConnectionFailure(error: unknown): boolean {
  if (isStatusError(error)) return false; // of the API server
  const code = codeOf(error);
  return code === undefined || code === 401 || code === 403;
}

/** Reports whether the CNF does not respond or rejects the credentials. */
export function isUnreachable(error: unknown): boolean {
  const code = codeOf(error);
  return isOpenWrtNetworkError(error) || code === 401 || code === 403;
}

/** Reports whether the CNF rejects the content of a request. */
export function isRefusal(error: unknown): boolean {
  const code = codeOf(error);
  return code === 400 || code === 404 || code === 405 || code === 416;
}

/** Returns the message of an error including those of its causes, without which library errors are often unclear. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // A batch reads a single object by name, but several objects with a list. The message omits the name, so that it is the same each time
  // while a CNF does not respond.
  if (isOpenWrtNetworkError(error)) return error.message.replace(/^(GET \S+?\/v1\/\w+)\/\S+: /, "$1: ");
  if (isOpenWrtError(error))
    return error.message.replace(/increase maxResponseBytes$/, "increase --cnf-max-response-bytes");
  const cause = error.cause instanceof Error ? messageOf(error.cause) : "";
  return cause === "" || error.message.includes(cause) ? error.message : `${error.message}: ${cause}`;
}

/**
 * Like {@link messageOf}, but omits the CNF's own text. Use it for objects with secrets, because the text may repeat a
 * secret in a form that no mask recognizes, for example in hex or in part.
 */
export function messageWithoutResponse(error: unknown): string {
  if (error instanceof Error && isOpenWrtError(error.cause))
    return `${error.message}: ${messageWithoutResponse(error.cause)}`;
  const isOwn = error instanceof NameNotStorableError || !isOpenWrtError(error);
  return isOwn ? messageOf(error) : `Error Code: ${error.code}, Error Message: not shown, because it may repeat keys`;
}
