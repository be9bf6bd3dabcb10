import type { ListMeta } from "@kubewright/apimachinery";

/** The answer to a list: an array of the objects, with the list's metadata beside them. */
export interface KubeList<T> extends ReadonlyArray<T> {
  /** `resourceVersion`: where in history the list was taken; `continue`: the token of the next page, or a cache's marker; see `ListOptions`. */
  readonly metadata: Readonly<ListMeta>;
}

/** Gives an array its list metadata. The property is not enumerable, so the list prints and compares as an array. */
export function kubeList<T>(items: T[], metadata: ListMeta): KubeList<T> {
  return Object.defineProperty(items, "metadata", { value: metadata }) as T[] & { readonly metadata: ListMeta };
}
