import type { KubeObject, Unstructured } from "./object.ts";

/** Group, version and kind. The name of the core group is the empty string. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Group, version and resource (plural name) under which a kind's objects are served. */
export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** `Namespaced` if each object of a kind belongs to a namespace, `Cluster` if the objects are cluster-scoped. */
export type Scope = "Namespaced" | "Cluster";

declare const objectType: unique symbol;

/**
 * Identifies a kind and, in the type system only, the type of its objects. Clients, caches and builders accept it. If `plural` or `scope`
 * is absent, it is looked up through the server's discovery.
 */
export interface Kind<T extends KubeObject = KubeObject> extends GroupVersionKind {
  readonly plural?: string | undefined;
  readonly scope?: Scope | undefined;
  /** Type of the objects. This member is never set at run time. */
  readonly [objectType]?: T | undefined;
}

/** Type of a kind's objects, as in `type Site = ObjectOf<typeof Site>`. */
export type ObjectOf<K> = K extends Kind<infer T> ? T : never;

/** Returns the `apiVersion` of a group and version, such as `v1` or `apps/v1`. */
export function apiVersionOf(gv: { readonly group: string; readonly version: string }): string {
  return gv.group === "" ? gv.version : `${gv.group}/${gv.version}`;
}

/**
 * Splits an `apiVersion` into group and version.
 *
 * @throws {Error} if it is empty or contains more than one slash
 * @see apimachinery runtime/schema ParseGroupVersion
 */
export function parseApiVersion(apiVersion: string): { readonly group: string; readonly version: string } {
  const parts = apiVersion.split("/");
  if (parts.length === 1 && apiVersion !== "") return { group: "", version: apiVersion };
  const [group, version] = parts;
  if (parts.length !== 2 || group === undefined || version === undefined)
    throw new Error(`unexpected GroupVersion string: "${apiVersion}"`);
  return { group, version };
}

/** Returns the group, version and kind of an object. */
export function kindOf(object: { readonly apiVersion: string; readonly kind: string }): GroupVersionKind {
  return { ...parseApiVersion(object.apiVersion), kind: object.kind };
}

/** Returns a map key for a kind without its version, such as `Deployment.apps`, or `Pod` for the core group. */
export function groupKindKey(gk: { readonly group: string; readonly kind: string }): string {
  return gk.group === "" ? gk.kind : `${gk.kind}.${gk.group}`;
}

/**
 * Formats a kind as in upstream's messages, such as `apps/v1, Kind=Deployment`. The result can also be used as a map
 * key.
 */
export function gvkKey(gvk: GroupVersionKind): string {
  return `${apiVersionOf(gvk)}, Kind=${gvk.kind}`;
}

/** Creates a kind that the program does not declare. Its objects are of type {@link Unstructured}. */
export function unstructured(type: {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural?: string | undefined;
  readonly scope?: Scope | undefined;
}): Kind<Unstructured> {
  const { apiVersion, kind, plural, scope } = type;
  return { ...parseApiVersion(apiVersion), kind, ...(plural ? { plural } : {}), ...(scope ? { scope } : {}) };
}

const metadataMark: unique symbol = Symbol("metadata only");

/**
 * Returns a copy of a kind that is limited to `metadata`: reads, watches and caches return only the `apiVersion`, `kind` and `metadata` of
 * its objects. Such objects can be patched and deleted, but not created or updated.
 *
 * @see controller-runtime builder.OnlyMetadata, client-go metadata/metadatainformer
 */
export function metadataOnly(kind: Kind): Kind<KubeObject> {
  const { group, version, kind: name, plural, scope } = kind;
  const marked = { group, version, kind: name, [metadataMark]: true };
  // A program that watches only a kind's metadata still needs the kind's CRD.
  const definition = "crd" in kind ? { crd: kind.crd } : {};
  return { ...marked, ...(plural ? { plural } : {}), ...(scope ? { scope } : {}), ...definition };
}

/** True if the kind was returned by {@link metadataOnly}. */
export const isMetadataOnly = (kind: GroupVersionKind): boolean => metadataMark in kind;
