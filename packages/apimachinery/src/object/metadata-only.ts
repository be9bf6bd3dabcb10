import type { GroupVersionKind, Kind } from "./kind.ts";
import type { KubeObject } from "./object.ts";

const metadataMark: unique symbol = Symbol("metadata only");

/**
 * The same kind, of which only `metadata` is wanted: what is read, watched and cached of it are objects with type and metadata
 * and nothing else. Such objects can be patched and deleted, but not created or updated.
 *
 * @see controller-runtime builder.OnlyMetadata, client-go metadata/metadatainformer
 */
export function metadataOnly(kind: Kind): Kind<KubeObject> {
  const { group, version, kind: name, plural, scope } = kind;
  const marked = { group, version, kind: name, [metadataMark]: true };
  // The program that watches the metadata of a kind of its own still brings its definition.
  const definition = "crd" in kind ? { crd: kind.crd } : {};
  return { ...marked, ...(plural ? { plural } : {}), ...(scope ? { scope } : {}), ...definition };
}

/** Whether a kind was made by {@link metadataOnly}. */
export const isMetadataOnly = (kind: GroupVersionKind): boolean => metadataMark in kind;
