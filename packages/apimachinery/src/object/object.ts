import { withIntegersOf } from "../value/exact-integers.ts";
import { setOwnMember } from "../value/own-member.ts";

/** A reference from a dependent object to the object that owns it. @see apimachinery meta/v1 OwnerReference */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  /** Tells the owner from a later one of the same name, whose dependent this is not. */
  uid: string;
  /** At most one owner of an object is its managing controller. */
  controller?: boolean;
  /** With foreground deletion, the owner stays until this dependent is gone. */
  blockOwnerDeletion?: boolean;
}

/** Which manager owns which fields of an object. @see apimachinery meta/v1 ManagedFieldsEntry */
export interface ManagedFieldsEntry {
  manager?: string;
  operation?: "Apply" | "Update";
  /** The version whose fields `fieldsV1` names. */
  apiVersion?: string;
  /** RFC 3339; when the set of fields last changed. */
  time?: string;
  /** Always `FieldsV1`. */
  fieldsType?: string;
  /** A tree of `f:<field>`, `k:<keys of a list item>` and `v:<value>`. */
  fieldsV1?: Record<string, unknown>;
  /** Where the fields were written, such as `status`; absent: the object itself. */
  subresource?: string;
}

/** Metadata that every object has. Times are RFC 3339 strings, as on the wire. @see apimachinery meta/v1 ObjectMeta */
export interface ObjectMeta {
  name: string;
  /** Beginning of a name that the server completes, where `name` is not given. */
  generateName?: string;
  /** Absent for objects of the cluster. */
  namespace?: string;
  selfLink?: string;
  /** Made by the server: another object of the same name has another one. */
  uid?: string;
  /** Changes with every write. Opaque but for equality and order within a resource. */
  resourceVersion?: string;
  /** Rises with every change of what is wanted (`spec`), where the kind counts it. */
  generation?: number;
  creationTimestamp?: string;
  /** When deletion was asked for, grace period included; the object stays until its finalizers are gone. */
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  /** Who still has something to do before the object may go. */
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
}

/** Any API object, in the shape it has on the wire. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

/** An object of a kind nobody declared: its fields are there, but of unknown type. */
export interface Unstructured extends KubeObject {
  [field: string]: unknown;
}

/** Metadata of a list. @see apimachinery meta/v1 ListMeta */
export interface ListMeta {
  /** The state that the list shows; a watch may begin here. */
  resourceVersion?: string;
  /** Leads to the next page; absent or empty on the last one. */
  continue?: string;
  /** How many objects come after this page; the server leaves it out of lists with a selector. */
  remainingItemCount?: number;
}

/** `T` with every level read-only: what a cache hands out. */
export type DeepReadonly<T> = T extends (infer E)[]
  ? readonly DeepReadonly<E>[]
  : T extends readonly (infer E)[]
    ? readonly DeepReadonly<E>[]
    : T extends (...args: never[]) => unknown
      ? T
      : T extends object
        ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
        : T;

/** The opposite of {@link DeepReadonly}. */
export type DeepMutable<T> = T extends readonly (infer E)[]
  ? DeepMutable<E>[]
  : T extends (...args: never[]) => unknown
    ? T
    : T extends object
      ? { -readonly [K in keyof T]: DeepMutable<T[K]> }
      : T;

/**
 * An object as a server stored it, which reads and writes answer: its metadata has what a server gives every object. It may be
 * handed on wherever a `T` is taken. A read-only one is `Stored<DeepReadonly<T>>`.
 *
 * Still optional are `namespace`, since a type does not say its kind's scope, and `resourceVersion`, which a dry run need not answer.
 * Types of objects that no server stores are left as they are: see {@link Unstored}.
 */
export type Stored<T> = T extends { readonly metadata: { readonly uid?: never } }
  ? T
  : T & { readonly metadata: { readonly uid: string; readonly creationTimestamp: string } };

/** An object that a server answers and never stores, such as a review or a measurement: `interface PodMetrics extends Unstored { ... }`. */
export interface Unstored extends KubeObject {
  metadata: ObjectMeta & { uid?: never };
}

/** Metadata of an object to be created: `namespace: site.metadata.namespace` will do, though it may be undefined. */
export type NewObjectMeta = { [K in keyof ObjectMeta]?: ObjectMeta[K] | undefined };

/**
 * What a caller writes to create an object: `apiVersion` and `kind` are known from the kind, and the name may be left to the
 * server (`generateName`).
 */
export type NewObject<T extends KubeObject> = Omit<T, "apiVersion" | "kind" | "metadata"> & {
  apiVersion?: string | undefined;
  kind?: string | undefined;
  metadata: NewObjectMeta;
};

/**
 * A deep copy that may be changed, of an object that may not. Integers beyond 2^53 keep their digits. What JSON knows is copied member by member, all else as
 * `structuredClone` does.
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
