import type { ListMeta } from "@kubewright/apimachinery";

/** The result of a list: an array of the objects, with the list's metadata as a property. */
export interface KubeList<T> extends ReadonlyArray<T> {
  /** `resourceVersion`: the version of the list; `continue`: the token of the next page, or a cache's marker; see `ListOptions`. */
  readonly metadata: Readonly<ListMeta>;
}

/** Adds list metadata to an array. The property is not enumerable, so the list prints and compares as an array. */
export function kubeList<T>(items: T[], metadata: ListMeta): KubeList<T> {
  return Object.defineProperty(items, "metadata", { value: metadata }) as T[] & { readonly metadata: ListMeta };
}
