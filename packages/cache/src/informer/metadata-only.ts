import { type GroupVersionKind, gvkKey, isMetadataOnly } from "@kubewright/apimachinery";

export { isMetadataOnly, metadataOnly } from "@kubewright/apimachinery";

const ofMetadata = (key: string): string => `${key} (metadata)`;

/** {@link gvkKey}, which tells the metadata of a kind from the kind itself. */
export const cachedKindKey = (kind: GroupVersionKind): string =>
  isMetadataOnly(kind) ? ofMetadata(gvkKey(kind)) : gvkKey(kind);

/** The keys of a kind and of its metadata. */
export function cachedKindKeys(kind: GroupVersionKind): readonly string[] {
  const key = gvkKey(kind);
  return [key, ofMetadata(key)];
}
