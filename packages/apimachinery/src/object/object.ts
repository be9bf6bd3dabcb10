import { withIntegersOf } from "../value/json.ts";
import { setOwnMember } from "../value/json-value.ts";

/** Reference from a dependent object to its owner. @see apimachinery meta/v1 OwnerReference */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  /** UID of the owner, which distinguishes it from a later object with the same name. */
  uid: string;
  /** True if the owner is the managing controller of the object. An object has at most one managing controller. */
  controller?: boolean;
  /** True if a foreground deletion of the owner waits until this dependent has been deleted. */
  blockOwnerDeletion?: boolean;
}

/** The fields of an object that a field manager owns. @see apimachinery meta/v1 ManagedFieldsEntry */
export interface ManagedFieldsEntry {
  manager?: string;
  operation?: "Apply" | "Update";
  /** API version of the field names in `fieldsV1`. */
  apiVersion?: string;
  /** Time at which the set of fields last changed, in RFC 3339. */
  time?: string;
  /** Format of `fieldsV1`, which is always `FieldsV1`. */
  fieldsType?: string;
  /** The fields as a tree of `f:<field>`, `k:<keys of a list item>` and `v:<value>`. */
  fieldsV1?: Record<string, unknown>;
  /** Subresource through which the fields were written, such as `status`. Absent if they were written through the object itself. */
  subresource?: string;
}

/** Metadata of all objects. Times are RFC 3339 strings. @see apimachinery meta/v1 ObjectMeta */
export interface ObjectMeta {
  name: string;
  /** Prefix of the name that the server generates if `name` is absent. */
  generateName?: string;
  /** Namespace of the object. Absent for cluster-scoped objects. */
  namespace?: string;
  selfLink?: string;
  /** Unique ID, set by the server. A later object with the same name has a different ID. */
  uid?: string;
  /** Version of the object, which changes with every write. Versions can be compared for equality and, within one resource, for order. */
  resourceVersion?: string;
  /** Number that increases with every change to the desired state (`spec`), if the kind supports it. */
  generation?: number;
  creationTimestamp?: string;
  /**
   * Time after which the object can be deleted: the time of the deletion request plus the grace period. The object remains until all
   * finalizers have been removed.
   */
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  /** Finalizers that must be removed before the object is deleted. */
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
}

/** An API object, in the format of the API. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

/** An object of a kind that the program does not declare. Its fields have the type `unknown`. */
export interface Unstructured extends KubeObject {
  [field: string]: unknown;
}

/** Metadata of a list. @see apimachinery meta/v1 ListMeta */
export interface ListMeta {
  /** Resource version of the listed state. A watch can start from it. */
  resourceVersion?: string;
  /** Token for the next page. Absent or empty on the last page. */
  continue?: string;
  /** Number of objects after this page. Absent from lists with a selector. */
  remainingItemCount?: number;
  /** Selector that limits the list to a subset of the objects. Only set if the request has a `shardSelector`. */
  shardInfo?: { selector: string };
}

/** The type `T`, read-only at all levels, as returned by caches. */
export type DeepReadonly<T> = T extends (infer E)[]
  ? readonly DeepReadonly<E>[]
  : T extends readonly (infer E)[]
    ? readonly DeepReadonly<E>[]
    : T extends (...args: never[]) => unknown
      ? T
      : T extends object
        ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
        : T;

/** The type `T`, mutable at all levels: the inverse of {@link DeepReadonly}. */
export type DeepMutable<T> = T extends readonly (infer E)[]
  ? DeepMutable<E>[]
  : T extends (...args: never[]) => unknown
    ? T
    : T extends object
      ? { -readonly [K in keyof T]: DeepMutable<T[K]> }
      : T;

/**
 * An object stored by a server, as returned by reads and writes. Its metadata includes the fields that servers set in
 * all objects. The type is assignable to `T`. For a read-only object, use `Stored<DeepReadonly<T>>`.
 *
 * `namespace` remains optional because the type does not contain the kind's scope. `resourceVersion` remains optional because the result of
 * a dry run may lack it. For objects that are never stored, the type is `T` itself; see {@link Unstored}.
 */
export type Stored<T> = T extends { readonly metadata: { readonly uid?: never } }
  ? T
  : T & { readonly metadata: { readonly uid: string; readonly creationTimestamp: string } };

/** An object that a server returns but never stores, such as a review or a measurement: `interface PodMetrics extends Unstored { ... }`. */
export interface Unstored extends KubeObject {
  metadata: ObjectMeta & { uid?: never };
}

/** Metadata of an object to create. Optional fields may be `undefined`, as in `namespace: site.metadata.namespace`. */
export type NewObjectMeta = { [K in keyof ObjectMeta]?: ObjectMeta[K] | undefined };

/**
 * An object to create. `apiVersion` and `kind` are optional, because the kind determines them. If `generateName` is set, the server
 * generates the name.
 */
export type NewObject<T extends KubeObject> = Omit<T, "apiVersion" | "kind" | "metadata"> & {
  apiVersion?: string | undefined;
  kind?: string | undefined;
  metadata: NewObjectMeta;
};

/**
 * Returns a deep copy that can be modified. Integers beyond 2^53 keep their exact values. JSON values are copied member
 * by member, all other values with `structuredClone`.
 */
export function mutableCopy<T>(value: T): DeepMutable<T> {
  return copied(value) as DeepMutable<T>;
}

function copied(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = new Array<unknown>(value.length);
    for (let index = 0; index < value.length; index++) items[index] = copied(value[index]);
    return withIntegersOf(value, items);
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return structuredClone(value);
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const member = copied((value as Record<string, unknown>)[key]);
    setOwnMember(copy, key, member);
  }
  return withIntegersOf(value, copy);
}
