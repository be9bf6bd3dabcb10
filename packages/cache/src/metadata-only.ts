import { type GroupVersionKind, gvkKey, type Kind, type KubeObject } from "@kubewright/apimachinery";

const metadataMark: unique symbol = Symbol("metadata only");

/**
 * The same kind, of which only `metadata` is wanted: what is listed, watched and cached of it are objects with type and metadata
 * and nothing else.
 *
 * @see controller-runtime builder.OnlyMetadata, client-go metadata/metadatainformer
 */
export function metadataOnly(kind: Kind): Kind<KubeObject> {
  const { group, version, kind: name, plural, scope } = kind;
  const marked = { group, version, kind: name, [metadataMark]: true };
  return { ...marked, ...(plural ? { plural } : {}), ...(scope ? { scope } : {}) };
}

export const isMetadataOnly = (kind: GroupVersionKind): boolean => metadataMark in kind;

/** {@link gvkKey}, which tells the metadata of a kind from the kind itself. */
export const cachedKindKey = (kind: GroupVersionKind): string =>
  isMetadataOnly(kind) ? `${gvkKey(kind)} (metadata)` : gvkKey(kind);
