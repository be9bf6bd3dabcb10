import { isOpenWrtError } from "@kubewright/openwrt";

/** The status of the CNF's answer, if the error is one. */
export function codeOf(error: unknown): number | undefined {
  return isOpenWrtError(error) ? error.code : undefined;
}

/** Whether the next request would fail in the same way: the CNF cannot be reached, or lets nobody in. */
export function endsConversation(error: unknown): boolean {
  const code = codeOf(error);
  return code === undefined || code === 401 || code === 403;
}
