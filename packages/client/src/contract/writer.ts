import type { Kind, KubeObject, Stored } from "@kubewright/apimachinery";
import type { CallOptions } from "./call-options.ts";
import type { ApplyConfiguration, PatchBody, StatusOf } from "./patch-body.ts";
import type { ListOptions, Reader } from "./reader.ts";
import type { SubResourceWriter } from "./sub-resource.ts";
import type { Creatable, Target, Writable } from "./target.ts";
import type { ApplyOptions, PatchOptions, WriteOptions } from "./write-options.ts";

/** Grace period, preconditions and propagation of a deletion. @see controller-runtime pkg/client DeleteOptions */
export interface DeleteOptions extends CallOptions {
  /** Makes the server validate the deletion, but delete nothing. Default false. */
  readonly dryRun?: boolean | undefined;
  /** Seconds that the object may take to terminate; 0 deletes it at once. Default: the kind's. */
  readonly gracePeriodSeconds?: number | undefined;
  /** Treatment of the objects it owns. Default: the kind's. */
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground" | undefined;
  /** Deletes only an object with this UID or version; otherwise, the call fails with a conflict. */
  readonly preconditions?:
    | { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined }
    | undefined;
}

/**
 * Selection of the objects to delete, as for a list, and options of the deletion. @see controller-runtime pkg/client DeleteAllOfOptions
 */
export interface DeleteCollectionOptions extends Omit<ListOptions, "continue">, DeleteOptions {}

/**
 * Writes objects. Methods resolve to the object as the server stored it; for kinds that are not stored, to the server's response.
 *
 * @see controller-runtime pkg/client Writer
 */
export interface Writer {
  /** Creates an object. @throws {StatusError} `AlreadyExists` if there is one of that name */
  create<T extends KubeObject>(kind: Kind<T>, object: Creatable<T>, options?: WriteOptions): Promise<Stored<T>>;
  /**
   * Replaces the object. The status is not changed if it is a subresource.
   *
   * @throws {StatusError} `Conflict` if the object has changed since `object` was read
   */
  update<T extends KubeObject>(kind: Kind<T>, object: Writable<T>, options?: WriteOptions): Promise<Stored<T>>;
  /**
   * Changes parts of an object, with a merge patch unless `options.type` sets another.
   *
   * @throws {StatusError} `NotFound` if the object does not exist; with type `"apply"`, it is then created
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
  /** Returns a writer of a subresource: `scale`, `token`, `eviction`, `binding`, `approval`, `log` ... */
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
