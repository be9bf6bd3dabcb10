import { type GroupVersionKind, gvkKey, isMetadataOnly } from "@kubewright/apimachinery";

const metadataKey = (key: string): string => `${key} (metadata)`;

/** Returns the {@link gvkKey} of a kind. The key of a `metadataOnly` kind differs from that of the kind itself. */
export const cachedKindKey = (kind: GroupVersionKind): string =>
  isMetadataOnly(kind) ? metadataKey(gvkKey(kind)) : gvkKey(kind);

/** Returns the keys of a kind and of its `metadataOnly` form. */
export function cachedKindKeys(kind: GroupVersionKind): readonly string[] {
  const key = gvkKey(kind);
  return [key, metadataKey(key)];
}
