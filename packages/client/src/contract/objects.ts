import type {
  DeepReadonly,
  JsonPatchOperation,
  KeyLike,
  KubeObject,
  NewObject,
  ObjectMeta,
} from "@kubewright/apimachinery";

/** An object that is identified by its name and namespace. Some calls also use its resource version. */
export interface NamedObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string | undefined;
    readonly resourceVersion?: string | undefined;
  };
}

/** The target of a call: a key, or the object itself. */
export type Target = KeyLike | NamedObject;

/** An object to write. It may be a read-only object from a cache. */
export type Writable<T extends KubeObject> = NoInfer<T> | DeepReadonly<NoInfer<T>>;

/** An object to create. */
export type Creatable<T extends KubeObject> = NewObject<NoInfer<T>> | DeepReadonly<NewObject<NoInfer<T>>>;

/**
 * The changes that a patch makes. Absent fields keep their values, and `null` fields are removed. Merge patches replace
 * lists as a whole. Strategic patches merge lists by key and may contain directives (`$patch`, `$retainKeys`, …) at any
 * level.
 */
export type MergePatch<T> = T extends readonly (infer E)[]
  ? readonly MergePatch<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: MergePatch<T[K]> | null | undefined } & {
        // Directives of strategic patches. Listed individually, because an index signature would reject values whose type is an interface.
        /** `delete`, `merge` or `replace`. Typed as string, because literals in a separately declared array are widened. */
        readonly $patch?: string | undefined;
        readonly $retainKeys?: readonly string[] | undefined;
      } & (string extends keyof T
          ? unknown
          : {
              readonly [K in keyof T & string as `$deleteFromPrimitiveList/${K}` | `$setElementOrder/${K}`]?:
                | readonly unknown[]
                | undefined;
            })
    : T;

/** A merge patch or strategic patch, or the operations of a JSON patch. */
export type PatchBody<T> = MergePatch<T> | readonly JsonPatchOperation[];

/** An object's name and the fields set by an applier. @see client-go applyconfigurations */
export type ApplyConfiguration<T extends KubeObject> = {
  readonly [K in Exclude<keyof T, "apiVersion" | "kind" | "metadata">]?: ApplyFields<T[K]> | undefined;
} & {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata: ApplyFields<Omit<ObjectMeta, "name">> & { readonly name: string };
};

/** `T` with all fields optional, at every level. */
export type ApplyFields<T> = T extends readonly (infer E)[]
  ? readonly ApplyFields<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: ApplyFields<T[K]> | undefined }
    : T;

/** The `status` of an object type. */
export type StatusOf<T> = T extends { status?: infer S }
  ? unknown extends S
    ? Record<string, unknown>
    : NonNullable<S>
  : Record<string, unknown>;
