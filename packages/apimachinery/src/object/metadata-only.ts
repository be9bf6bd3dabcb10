import type { GroupVersionKind, Kind } from "./kind.ts";
import type { KubeObject } from "./object.ts";

const metadataMark: unique symbol = Symbol("metadata only");

/**
 * Returns the same kind, limited to `metadata`: reads, watches and caches return objects with only `apiVersion`, `kind` and `metadata`.
 * Such objects can be patched and deleted, but not created or updated.
 *
 * @see controller-runtime builder.OnlyMetadata, client-go metadata/metadatainformer
 */
export function metadataOnly(kind: Kind): Kind<KubeObject> {
  const { group, version, kind: name, plural, scope } = kind;
  const marked = { group, version, kind: name, [metadataMark]: true };
  // A program that watches only the metadata of a kind still needs the kind's CRD.
  const definition = "crd" in kind ? { crd: kind.crd } : {};
  return { ...marked, ...(plural ? { plural } : {}), ...(scope ? { scope } : {}), ...definition };
}

/** True if {@link metadataOnly} returned the kind. */
export const isMetadataOnly = (kind: GroupVersionKind): boolean => metadataMark in kind;
