import type { ListMeta } from "@kubewright/apimachinery";

/** What a list call answers: an array of the objects, and the list's metadata beside them. */
export interface KubeList<T> extends ReadonlyArray<T> {
  /** Where in history the list was taken (`resourceVersion`), and the token of the next page (`continue`), if there is one. */
  readonly metadata: Readonly<ListMeta>;
}

/** Gives an array its list metadata. The property is not enumerable, so the list prints and compares as an array. */
export function kubeList<T>(items: T[], metadata: ListMeta): KubeList<T> {
  return Object.defineProperty(items, "metadata", { value: metadata }) as T[] & { readonly metadata: ListMeta };
}
