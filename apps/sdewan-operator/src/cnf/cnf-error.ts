import { isOpenWrtError, isOpenWrtNetworkError, NameNotStorableError } from "@kubewright/openwrt";

/** The status of the CNF's answer, if the error is one. */
export function codeOf(error: unknown): number | undefined {
  return isOpenWrtError(error) ? error.code : undefined;
}

/** Whether the next request would fail in the same way: the CNF cannot be reached, or lets nobody in. */
export function endsConversation(error: unknown): boolean {
  const code = codeOf(error);
  return code === undefined || code === 401 || code === 403;
}

/** Whether the CNF does not answer, or lets nobody in. */
export function isUnreachable(error: unknown): boolean {
  const code = codeOf(error);
  return isOpenWrtNetworkError(error) || code === 401 || code === 403;
}

/** Whether the CNF refuses what it was sent. */
export function isRefusal(error: unknown): boolean {
  const code = codeOf(error);
  return code === 400 || code === 404 || code === 405 || code === 416;
}

/** Errors of libraries often say little themselves; what they were caused by says more. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (isOpenWrtNetworkError(error)) return error.message;
  if (isOpenWrtError(error)) return error.message.replace(/raise maxAnswerBytes$/, "raise --cnf-max-answer-bytes");
  const cause = error.cause instanceof Error ? messageOf(error.cause) : "";
  return cause === "" || error.message.includes(cause) ? error.message : `${error.message}: ${cause}`;
}

/**
 * {@link messageOf} without the CNF's own words, for what holds secrets: a CNF may repeat these in forms that no mask finds, such as in hex
 * or in part.
 */
export function wordlessMessageOf(error: unknown): string {
  const isOwn = error instanceof NameNotStorableError || !isOpenWrtError(error);
  return isOwn ? messageOf(error) : `Error Code: ${error.code}, Error Message: not shown, because it may repeat keys`;
}
