import type { ListMeta } from "@kubewright/apimachinery";
import { type KubeList, kubeList, type ListOptions } from "@kubewright/client";

/** Used in place of a token if `limit` truncated a list that has no pages. @see controller-runtime pkg/cache/internal CacheReader.List */
const continueNotSupported = "continue-not-supported";

/**
 * Refuses to continue a list that has no pages.
 *
 * @throws {Error} for a `continue` token
 */
export function refuseContinue({ continue: token }: ListOptions): void {
  if (!token) return;
  const shown = JSON.stringify(token.length > 50 ? `${token.slice(0, 50)}…` : token);
  throw new Error(
    `continue: ${shown}: continue list option is not supported by the cache, whose lists have no pages; ` +
      "leave out limit and continue, or page through the lists of a client that reads from the server",
  );
}

/**
 * Takes up to `limit` objects; all objects if the limit is not positive. If objects are left out, the list has a marker in place of a
 * `continue` token, so that a program which follows the token fails instead of missing objects.
 */
export function listUpTo<O>(limit: number | undefined, objects: Iterable<O>, metadata: ListMeta): KubeList<O> {
  const most = limit !== undefined && limit > 0 ? limit : Number.POSITIVE_INFINITY;
  const taken: O[] = [];
  for (const object of objects) {
    if (taken.length >= most) return kubeList(taken, { ...metadata, continue: continueNotSupported });
    taken.push(object);
  }
  return kubeList(taken, metadata);
}
