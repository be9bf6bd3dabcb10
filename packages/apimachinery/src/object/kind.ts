import type { KubeObject, Unstructured } from "./object.ts";

/** Group, version and kind: which type an object is of. The core group is the empty string. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Group, version and resource (the plural): where objects of a type are served. */
export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** Whether objects of a kind are each in a namespace, or belong to the cluster. */
export type Scope = "Namespaced" | "Cluster";

declare const objectType: unique symbol;

/**
 * A kind as a value: which type is meant, and (in the type system only) what its objects look like. Clients, caches and builders
 * take kinds. `plural` and `scope` are asked from the server's discovery when they are absent.
 */
export interface Kind<T extends KubeObject = KubeObject> extends GroupVersionKind {
  readonly plural?: string;
  readonly scope?: Scope;
  /** Never there at run time; carries the object's type. */
  readonly [objectType]?: T;
}

/** The objects of a kind: `type Site = ObjectOf<typeof Site>`. */
export type ObjectOf<K> = K extends Kind<infer T> ? T : never;

/** `v1`, or `apps/v1`. */
export function apiVersionOf(gv: { readonly group: string; readonly version: string }): string {
  return gv.group === "" ? gv.version : `${gv.group}/${gv.version}`;
}

/**
 * Group and version of an `apiVersion`.
 *
 * @throws {Error} if it has more than one slash or is empty
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

/** The kind an object says it is of. */
export function kindOf(object: { readonly apiVersion: string; readonly kind: string }): GroupVersionKind {
  return { ...parseApiVersion(object.apiVersion), kind: object.kind };
}

/** `Deployment.apps`, or `Pod` for the core group: a kind as map key, without its version. */
export function groupKindKey(gk: { readonly group: string; readonly kind: string }): string {
  return gk.group === "" ? gk.kind : `${gk.kind}.${gk.group}`;
}

/** `apps/v1, Kind=Deployment`: a kind as people and upstream's messages write it; also a map key. */
export function gvkKey(gvk: GroupVersionKind): string {
  return `${apiVersionOf(gvk)}, Kind=${gvk.kind}`;
}

/** A kind that nobody declared; its objects are {@link Unstructured}. */
export function unstructured(type: {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural?: string | undefined;
  readonly scope?: Scope | undefined;
}): Kind<Unstructured> {
  const { apiVersion, kind, plural, scope } = type;
  return { ...parseApiVersion(apiVersion), kind, ...(plural ? { plural } : {}), ...(scope ? { scope } : {}) };
}
