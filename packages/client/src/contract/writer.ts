import type { Kind, KubeObject, NewObjectMeta, Stored, Unstructured } from "@kubewright/apimachinery";
import type { Binding, Eviction, Scale, TokenRequest } from "../kinds/sub-resources.ts";
import type { ApplyConfiguration, Creatable, PatchBody, StatusOf, Target, Writable } from "./objects.ts";
import type { CachedReader, CallOptions, GetOptions, ListOptions, Reader } from "./reader.ts";

/** Options for a deletion. @see controller-runtime pkg/client DeleteOptions */
export interface DeleteOptions extends CallOptions {
  /** True to make the server validate the deletion but delete nothing. Default false. */
  readonly dryRun?: boolean | undefined;
  /** Time in seconds that the object may take to terminate. 0 deletes it immediately. Default: the kind's default. */
  readonly gracePeriodSeconds?: number | undefined;
  /** Handling of the objects that the deleted object owns. Default: the kind's default. */
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground" | undefined;
  /** Deletes the object only if it has this UID or resource version. Otherwise, the call fails with a conflict. */
  readonly preconditions?:
    | { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined }
    | undefined;
}

/**
 * Options for deleting a collection: which objects to delete, and how.
 *
 * @see controller-runtime pkg/client DeleteAllOfOptions
 */
export interface DeleteCollectionOptions extends Omit<ListOptions, "continue">, DeleteOptions {}

/**
 * Writes objects. Each method resolves to the stored object or, for kinds that are not stored, to the server's response.
 *
 * @see controller-runtime pkg/client Writer
 */
export interface Writer {
  /** Creates an object. @throws {StatusError} `AlreadyExists` if an object with that name exists */
  create<T extends KubeObject>(kind: Kind<T>, object: Creatable<T>, options?: WriteOptions): Promise<Stored<T>>;
  /**
   * Replaces an object. If the kind has a status subresource, the status is not changed.
   *
   * @throws {StatusError} `Conflict` if the object has changed since `object` was read
   */
  update<T extends KubeObject>(kind: Kind<T>, object: Writable<T>, options?: WriteOptions): Promise<Stored<T>>;
  /**
   * Changes parts of an object. The patch is a merge patch unless `options.type` specifies another type.
   *
   * @throws {StatusError} `NotFound` if the object does not exist (with type `"apply"`, the object is created instead)
   */
  patch<T extends KubeObject>(
    kind: Kind<T>,
    target: Target,
    patch: PatchBody<NoInfer<T>>,
    options?: PatchOptions,
  ): Promise<Stored<T>>;
  /**
   * Applies a configuration server-side. It creates the object, or sets the given fields and removes those that this owner no longer sets.
   */
  apply<T extends KubeObject>(
    kind: Kind<T>,
    configuration: ApplyConfiguration<NoInfer<T>>,
    options?: ApplyOptions,
  ): Promise<Stored<T>>;
  /** Requests the deletion of an object. Finalizers or the grace period may delay it. */
  delete(kind: Kind, target: Target, options?: DeleteOptions): Promise<void>;
  /** Requests the deletion of all objects that the options select. */
  deleteCollection(kind: Kind, options?: DeleteCollectionOptions): Promise<void>;
  readonly status: StatusWriter;
  /** Returns a writer for a subresource, such as `scale`, `token`, `eviction`, `binding`, `approval` or `log`. */
  subResource<N extends string>(name: N): SubResourceWriter<N>;
}

/** Writes only the status of objects. @see controller-runtime pkg/client StatusWriter */
export interface StatusWriter {
  /** Replaces the status but not the spec. @throws {StatusError} `Conflict` if the object has changed since `object` was read */
  update<T extends KubeObject>(kind: Kind<T>, object: Writable<T>, options?: WriteOptions): Promise<Stored<T>>;
  /**
   * Patches the status. `patch` applies to the status itself: `patch(Site, site, { readyReplicas: 1 })`. With `type:
   * "json"`, paths are relative to the whole object.
   */
  patch<T extends KubeObject>(
    kind: Kind<T>,
    target: Target,
    patch: PatchBody<StatusOf<NoInfer<T>>>,
    options?: PatchOptions,
  ): Promise<Stored<T>>;
  /** Applies a configuration of the status server-side. */
  apply<T extends KubeObject>(
    kind: Kind<T>,
    configuration: ApplyConfiguration<NoInfer<T>>,
    options?: ApplyOptions,
  ): Promise<Stored<T>>;
}

/** Client for reconcilers. Reads may come from a cache; writes go to the API server. @see controller-runtime pkg/client Client */
export interface ReadWriter extends Reader, Writer {}

/** Reads from a cache, writes to the API server, and can wait until the cache shows a write. */
export interface CachedReadWriter extends ReadWriter, Pick<CachedReader, "caughtUp"> {}

/**
 * Options for a write: field owner, validation and dry run. @see controller-runtime pkg/client CreateOptions,
 * UpdateOptions
 */
export interface WriteOptions extends CallOptions {
  /** True to make the server validate the write and respond as usual, but store nothing. Default false. */
  readonly dryRun?: boolean | undefined;
  /** Owner of the written fields (`fieldManager` in the request). Default: the client's field owner. */
  readonly fieldOwner?: string | undefined;
  /** Handling of unknown and duplicate fields by the server. Default: the client's setting, otherwise the server's default (`Warn`). */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict" | undefined;
}

/**
 * Type of a patch: a merge patch (RFC 7386), a JSON patch (RFC 6902), a strategic merge patch (built-in kinds only), or server-side apply.
 *
 * @see apimachinery types PatchType
 */
export type PatchType = "merge" | "json" | "strategic" | "apply";

/** Options for a patch: type, conflict handling and field owner. @see controller-runtime pkg/client PatchOptions */
export interface PatchOptions extends WriteOptions {
  /** Type of the patch. Default `"merge"`. */
  readonly type?: PatchType | undefined;
  /** True to take ownership of fields from other owners. Only for `type: "apply"`. Default false. */
  readonly force?: boolean | undefined;
  /**
   * True to send the target object's `resourceVersion`, so that the patch fails with a conflict if the object has changed since it was
   * read. Default false.
   */
  readonly optimisticLock?: boolean | undefined;
}

/** Options for an apply request: conflict handling and the field owner. @see controller-runtime pkg/client ApplyOptions */
export interface ApplyOptions extends WriteOptions {
  /** True to take ownership of fields from other owners instead of failing with a conflict. Default false. */
  readonly force?: boolean | undefined;
}

/** The bodies that well-known subresources accept and return. Other subresources use {@link Unstructured}. */
export interface SubResourceTypes {
  /** Replica count of a workload, in `spec.replicas`. */
  scale: Stored<Scale>;
  /** Token of a ServiceAccount, with audiences and a lifetime. */
  token: TokenRequest;
  /** Deletion of a pod that respects disruption budgets. */
  eviction: Eviction;
  /** Assignment of a pod to a node. */
  binding: Binding;
}

/** Body that the `N` subresource returns. */
export type SubResourceBody<N extends string> = N extends keyof SubResourceTypes ? SubResourceTypes[N] : Unstructured;

/**
 * Body that a caller sends to the `N` subresource. If known, `apiVersion`, `kind` and the name are set automatically.
 */
export type SendableBody<N extends string> = N extends keyof SubResourceTypes
  ? Omit<SubResourceTypes[N], keyof KubeObject> & {
      apiVersion?: string | undefined;
      kind?: string | undefined;
      metadata?: NewObjectMeta | undefined;
    }
  : object;

/** Reads and writes one subresource of objects of any kind. @see controller-runtime pkg/client SubResourceClient */
export interface SubResourceWriter<N extends string = string> {
  get(kind: Kind, target: Target, options?: GetOptions): Promise<SubResourceBody<N>>;
  /**
   * Returns the response as text, for example from `log`. `query` contains the subresource's own parameters, such as `{ container: "web",
   * tailLines: "10" }`.
   */
  getText(
    kind: Kind,
    target: Target,
    options?: GetOptions & { readonly query?: Readonly<Record<string, string>> | undefined },
  ): Promise<string>;
  create(kind: Kind, target: Target, body: SendableBody<N>, options?: WriteOptions): Promise<SubResourceBody<N>>;
  update(kind: Kind, target: Target, body: SendableBody<N>, options?: WriteOptions): Promise<SubResourceBody<N>>;
  patch(
    kind: Kind,
    target: Target,
    patch: PatchBody<SubResourceBody<N>>,
    options?: PatchOptions,
  ): Promise<SubResourceBody<N>>;
}
