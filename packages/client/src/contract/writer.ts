import type { Kind, KubeObject, NewObjectMeta, Stored, Unstructured } from "@kubewright/apimachinery";
import type { Binding, Eviction, Scale, TokenRequest } from "../kinds/sub-resources.ts";
import type { ApplyConfiguration, Creatable, PatchBody, StatusOf, Target, Writable } from "./objects.ts";
import type { CachedReader, CallOptions, GetOptions, ListOptions, Reader } from "./reader.ts";

/** Grace period, preconditions and propagation of a deletion. @see controller-runtime pkg/client DeleteOptions */
export interface DeleteOptions extends CallOptions {
  /** Asks the server to validate the deletion but delete nothing. Default false. */
  readonly dryRun?: boolean | undefined;
  /** Seconds that the object may take to terminate; 0 deletes it at once. Default: the kind's default. */
  readonly gracePeriodSeconds?: number | undefined;
  /** What happens to the objects that it owns. Default: the kind's default. */
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground" | undefined;
  /** Deletes only an object with this UID or resource version; otherwise, the call fails with a conflict. */
  readonly preconditions?:
    | { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined }
    | undefined;
}

/**
 * Options that select the objects to delete, as for a list, and options of the deletion.
 *
 * @see controller-runtime pkg/client DeleteAllOfOptions
 *
 */
export interface DeleteCollectionOptions extends Omit<ListOptions, "continue">, DeleteOptions {}

/**
 * Writes objects. Methods resolve to the object as the server stored it; for kinds that are not stored, to the server's response.
 *
 * @see controller-runtime pkg/client Writer
 */
export interface Writer {
  /** Creates an object. @throws {StatusError} `AlreadyExists` if an object with that name exists */
  create<T extends KubeObject>(kind: Kind<T>, object: Creatable<T>, options?: WriteOptions): Promise<Stored<T>>;
  /**
   * Replaces the object. The status is not changed if it is a subresource.
   *
   * @throws {StatusError} `Conflict` if the object has changed since `object` was read
   */
  update<T extends KubeObject>(kind: Kind<T>, object: Writable<T>, options?: WriteOptions): Promise<Stored<T>>;
  /**
   * Changes parts of an object, with a merge patch unless `options.type` specifies another type.
   *
   * @throws {StatusError} `NotFound` if the object does not exist; with type `"apply"`, it is then created
   *
   */
  patch<T extends KubeObject>(
    kind: Kind<T>,
    target: Target,
    patch: PatchBody<NoInfer<T>>,
    options?: PatchOptions,
  ): Promise<Stored<T>>;
  /**
   * Applies a configuration server-side: creates the object, or sets the given fields and removes those that this owner no longer sets.
   */
  apply<T extends KubeObject>(
    kind: Kind<T>,
    configuration: ApplyConfiguration<NoInfer<T>>,
    options?: ApplyOptions,
  ): Promise<Stored<T>>;
  /** Requests the deletion of the object; finalizers or its grace period may delay it. */
  delete(kind: Kind, target: Target, options?: DeleteOptions): Promise<void>;
  /** Requests the deletion of all objects that the options select. */
  deleteCollection(kind: Kind, options?: DeleteCollectionOptions): Promise<void>;
  readonly status: StatusWriter;
  /** Returns a writer for a subresource: `scale`, `token`, `eviction`, `binding`, `approval`, `log` ... */
  subResource<N extends string>(name: N): SubResourceWriter<N>;
}

/** Writes only the status of objects. @see controller-runtime pkg/client StatusWriter */
export interface StatusWriter {
  /** Replaces the status; `spec` is not changed. @throws {StatusError} `Conflict` if the object has changed since `object` was read */
  update<T extends KubeObject>(kind: Kind<T>, object: Writable<T>, options?: WriteOptions): Promise<Stored<T>>;
  /**
   * Patches the status. `patch` contains the status itself: `patch(Site, site, { readyReplicas: 1 })`. With `type: "json"`, paths refer to
   * the whole object.
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

/** The client of reconcilers: reads may come from a cache, writes go to the API server. @see controller-runtime pkg/client Client */
export interface ReadWriter extends Reader, Writer {}

/** Reads from a cache, writes to the API server, and can wait until the cache shows a write. */
export interface CachedReadWriter extends ReadWriter, Pick<CachedReader, "caughtUp"> {}

/** How the server treats fields that are unknown or occur twice. */
export type FieldValidation = "Ignore" | "Warn" | "Strict";

/** Owner, validation and dry run of a write. @see controller-runtime pkg/client CreateOptions, UpdateOptions */
export interface WriteOptions extends CallOptions {
  /** Asks the server to validate the write and respond as usual, but to store nothing. Default false. */
  readonly dryRun?: boolean | undefined;
  /** Owner of the fields that this call sets (`fieldManager` on the wire). Default: the client's field owner. */
  readonly fieldOwner?: string | undefined;
  /** How the server treats unknown and duplicate fields. Default: the client's setting, otherwise the server's (`Warn`). */
  readonly fieldValidation?: FieldValidation | undefined;
}

/**
 * A merge patch (RFC 7386), a JSON patch (RFC 6902), a strategic merge patch (built-in kinds only), or server-side
 * apply.
 *
 * @see apimachinery types PatchType
 *
 */
export type PatchType = "merge" | "json" | "strategic" | "apply";

/** Options of a patch: its type, conflict handling and field owner. @see controller-runtime pkg/client PatchOptions */
export interface PatchOptions extends WriteOptions {
  /** Default `"merge"`. */
  readonly type?: PatchType | undefined;
  /** Takes ownership of fields from other owners. Only for `type: "apply"`. Default false. */
  readonly force?: boolean | undefined;
  /**
   * Makes the patch fail with a conflict if the object has changed since it was read, by sending the target object's `resourceVersion`.
   * Default false.
   *
   */
  readonly optimisticLock?: boolean | undefined;
}

/** Conflict handling and owner of an apply. @see controller-runtime pkg/client ApplyOptions */
export interface ApplyOptions extends WriteOptions {
  /** Takes ownership of fields from other owners instead of failing with a conflict. Default false. */
  readonly force?: boolean | undefined;
}

/** Bodies that subresources accept and return. Subresources that are not listed use {@link Unstructured}. */
export interface SubResourceTypes {
  /** For workloads: `spec.replicas`. */
  scale: Stored<Scale>;
  /** For ServiceAccounts: a token with audiences and a lifetime. */
  token: TokenRequest;
  /** For pods: a deletion that respects disruption budgets. */
  eviction: Eviction;
  /** For pods: the assignment to a node. */
  binding: Binding;
}

/** The body that the subresource `N` returns. */
export type SubResourceBody<N extends string> = N extends keyof SubResourceTypes ? SubResourceTypes[N] : Unstructured;

/** The body that a caller sends to the subresource `N`; `apiVersion`, `kind` and the name are filled in if known. */
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
   * Returns the response as text, for example from `log`. `query` contains the subresource's own
   * parameters: `{ container: "web", tailLines: "10" }`.
   *
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
