import type { DeepReadonly, KeyLike, KubeObject, NewObject } from "@kubewright/apimachinery";

/** An object of which only the name (and namespace, and perhaps version) matters. */
export interface NamedObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string | undefined;
    readonly resourceVersion?: string | undefined;
  };
}

/** Which object a call is about: a key, or the object itself. */
export type Target = KeyLike | NamedObject;

/** An object to be written; a read-only one from a cache will do. */
export type Writable<T extends KubeObject> = NoInfer<T> | DeepReadonly<NoInfer<T>>;

/** An object to be created. */
export type Creatable<T extends KubeObject> = NewObject<NoInfer<T>> | DeepReadonly<NewObject<NoInfer<T>>>;
