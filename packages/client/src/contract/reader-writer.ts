import type { DeepReadonly, KeyLike, Kind, KubeObject, NewObject, Stored } from "@kubewright/apimachinery";
import type { KubeList } from "./kube-list.ts";
import type {
  ApplyOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  PatchOptions,
  WriteOptions,
} from "./options.ts";
import type { ApplyConfiguration, PatchBody, StatusOf } from "./patch-body.ts";
import type { SubResourceWriter } from "./sub-resource.ts";

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

/**
 * Reads objects: a client reads them from the API server, a cache from memory. What is read may be shared, hence read-only; it was
 * stored, hence its `uid` and `creationTimestamp` are there.
 *
 * @see controller-runtime pkg/client Reader
 */
export interface Reader {
  /**
   * One object.
   *
   * @throws {StatusError} `NotFound` if it is not there (see `ignoreNotFound`)
   */
  get<T extends KubeObject>(kind: Kind<T>, key: KeyLike, options?: GetOptions): Promise<Stored<DeepReadonly<T>>>;
  /** All objects that the options select, in the order of their names as the server has them. */
  list<T extends KubeObject>(kind: Kind<T>, options?: ListOptions): Promise<KubeList<Stored<DeepReadonly<T>>>>;
}

/**
 * Writes objects. Every method resolves to the object as the server stored it, or answered it if it stores none of the kind.
 *
 * @see controller-runtime pkg/client Writer
 */
export interface Writer {
  create<T extends KubeObject>(kind: Kind<T>, object: Creatable<T>, options?: WriteOptions): Promise<Stored<T>>;
  /** Replaces the object; a conflict if it changed since `object` was read. Status is left alone where it is a subresource. */
  update<T extends KubeObject>(kind: Kind<T>, object: Writable<T>, options?: WriteOptions): Promise<Stored<T>>;
  patch<T extends KubeObject>(
    kind: Kind<T>,
    target: Target,
    patch: PatchBody<NoInfer<T>>,
    options?: PatchOptions,
  ): Promise<Stored<T>>;
  /** Server-side apply: creates the object, or makes the given fields so and drops those that this owner no longer gives. */
  apply<T extends KubeObject>(
    kind: Kind<T>,
    configuration: ApplyConfiguration<NoInfer<T>>,
    options?: ApplyOptions,
  ): Promise<Stored<T>>;
  /** Asks for the object's deletion; it may linger for its finalizers or its grace period. */
  delete(kind: Kind, target: Target, options?: DeleteOptions): Promise<void>;
  deleteCollection(kind: Kind, options?: DeleteCollectionOptions): Promise<void>;
  readonly status: StatusWriter;
  /** `scale`, `token`, `eviction`, `binding`, `approval`, `log` ... */
  subResource<N extends string>(name: N): SubResourceWriter<N>;
}

/** Writes the status of objects, and nothing else of them. */
export interface StatusWriter {
  update<T extends KubeObject>(kind: Kind<T>, object: Writable<T>, options?: WriteOptions): Promise<Stored<T>>;
  /** `patch` is about the status: `patch(Site, site, { readyReplicas: 1 })`. With `type: "json"` paths are those of the whole object. */
  patch<T extends KubeObject>(
    kind: Kind<T>,
    target: Target,
    patch: PatchBody<StatusOf<NoInfer<T>>>,
    options?: PatchOptions,
  ): Promise<Stored<T>>;
  apply<T extends KubeObject>(
    kind: Kind<T>,
    configuration: ApplyConfiguration<NoInfer<T>>,
    options?: ApplyOptions,
  ): Promise<Stored<T>>;
}

/** What reconcilers are handed: reads perhaps from a cache, writes to the API server. */
export interface ReadWriter extends Reader, Writer {}
