import type { JsonPatchOperation, KubeObject, ObjectMeta } from "@kubewright/apimachinery";

/**
 * What is to differ: a field that is absent stays as it is, one that is `null` is removed. Merge patches replace lists as a whole,
 * strategic ones merge them by key and may have directives (`$patch`, `$retainKeys` ...) anywhere.
 */
export type MergePatch<T> = T extends readonly (infer E)[]
  ? readonly MergePatch<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: MergePatch<T[K]> | null | undefined } & Directives<T>
    : T;

/** What strategic patches say beside fields. Each is named, for an index signature would refuse values whose type is an interface. */
type Directives<T> = {
  /** `delete`, `merge` or `replace`. A string, since lists that are made first widen what they hold. */
  readonly $patch?: string | undefined;
  readonly $retainKeys?: readonly string[] | undefined;
} & (string extends keyof T
  ? unknown
  : {
      readonly [K in keyof T & string as `$deleteFromPrimitiveList/${K}` | `$setElementOrder/${K}`]?:
        | readonly unknown[]
        | undefined;
    });

/** A merge patch or strategic patch, or the operations of a JSON patch. */
export type PatchBody<T> = MergePatch<T> | readonly JsonPatchOperation[];

/** The name of an object, and the fields that an applier has an opinion of. @see client-go applyconfigurations */
export type ApplyConfiguration<T extends KubeObject> = {
  readonly [K in Exclude<keyof T, "apiVersion" | "kind" | "metadata">]?: Partially<T[K]> | undefined;
} & {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata: Partially<Omit<ObjectMeta, "name">> & { readonly name: string };
};

type Partially<T> = T extends readonly (infer E)[]
  ? readonly Partially<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: Partially<T[K]> | undefined }
    : T;

/** The `status` of an object type. */
export type StatusOf<T> = T extends { status?: infer S }
  ? unknown extends S
    ? Record<string, unknown>
    : NonNullable<S>
  : Record<string, unknown>;
