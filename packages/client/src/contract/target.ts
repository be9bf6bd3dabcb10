import type { DeepReadonly, KeyLike, KubeObject, NewObject } from "@kubewright/apimachinery";

/** An object of which only the name (and namespace, and in some cases version) is used. */
export interface NamedObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string | undefined;
    readonly resourceVersion?: string | undefined;
  };
}

/** The target of a call: a key, or the object itself. */
export type Target = KeyLike | NamedObject;

/** An object to write; may be a read-only one from a cache. */
export type Writable<T extends KubeObject> = NoInfer<T> | DeepReadonly<NoInfer<T>>;

/** An object to create. */
export type Creatable<T extends KubeObject> = NewObject<NoInfer<T>> | DeepReadonly<NewObject<NoInfer<T>>>;
