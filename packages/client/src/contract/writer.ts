import type { Kind, KubeObject, Stored } from "@kubewright/apimachinery";
import type { CallOptions } from "./call-options.ts";
import type { ApplyConfiguration, PatchBody, StatusOf } from "./patch-body.ts";
import type { ListOptions, Reader } from "./reader.ts";
import type { SubResourceWriter } from "./sub-resource.ts";
import type { Creatable, Target, Writable } from "./target.ts";
import type { ApplyOptions, PatchOptions, WriteOptions } from "./write-options.ts";

/** How an object is deleted, and what becomes of what it owns. @see controller-runtime pkg/client DeleteOptions */
export interface DeleteOptions extends CallOptions {
  /** Default false. */
  readonly dryRun?: boolean | undefined;
  /** How many seconds the object may take to end; 0 deletes at once. Default: the kind's. */
  readonly gracePeriodSeconds?: number | undefined;
  /** What becomes of the objects it owns. Default: the kind's. */
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground" | undefined;
  /** Delete only this incarnation or version; fail with a conflict otherwise. */
  readonly preconditions?:
    | { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined }
    | undefined;
}

/** What to delete, selected as by a list, and how. @see controller-runtime pkg/client DeleteAllOfOptions */
export interface DeleteCollectionOptions extends Omit<ListOptions, "continue">, DeleteOptions {}

/**
 * Writes objects. Methods resolve to the object as the server stored it, or as it answered it if it stores none of the kind.
 *
 * @see controller-runtime pkg/client Writer
 */
export interface Writer {
  /** @throws {StatusError} `AlreadyExists` if there is one of that name */
  create<T extends KubeObject>(kind: Kind<T>, object: Creatable<T>, options?: WriteOptions): Promise<Stored<T>>;
  /**
   * Replaces the object. Its status is left alone where that is a subresource.
   *
   * @throws {StatusError} `Conflict` if it has changed since `object` was read
   */
  update<T extends KubeObject>(kind: Kind<T>, object: Writable<T>, options?: WriteOptions): Promise<Stored<T>>;
  /**
   * Changes parts of an object, by a merge patch unless `options.type` says otherwise.
   *
   * @throws {StatusError} `NotFound` if it does not exist; of type `"apply"` it is then created
   */
  patch<T extends KubeObject>(
    kind: Kind<T>,
    target: Target,
    patch: PatchBody<NoInfer<T>>,
    options?: PatchOptions,
  ): Promise<Stored<T>>;
  /** Server-side apply: creates the object, or sets the given fields and drops those that this owner no longer gives. */
  apply<T extends KubeObject>(
    kind: Kind<T>,
    configuration: ApplyConfiguration<NoInfer<T>>,
    options?: ApplyOptions,
  ): Promise<Stored<T>>;
  /** Asks for the object's deletion; finalizers or its grace period may keep it for a while. */
  delete(kind: Kind, target: Target, options?: DeleteOptions): Promise<void>;
  /** Asks for the deletion of all objects that the options select. */
  deleteCollection(kind: Kind, options?: DeleteCollectionOptions): Promise<void>;
  readonly status: StatusWriter;
  /** `scale`, `token`, `eviction`, `binding`, `approval`, `log` ... */
  subResource<N extends string>(name: N): SubResourceWriter<N>;
}

/** Writes the status of objects, and nothing else of them. @see controller-runtime pkg/client StatusWriter */
export interface StatusWriter {
  /** Replaces the status; `spec` is left alone. @throws {StatusError} `Conflict` if the object has changed since `object` was read */
  update<T extends KubeObject>(kind: Kind<T>, object: Writable<T>, options?: WriteOptions): Promise<Stored<T>>;
  /** `patch` is about the status: `patch(Site, site, { readyReplicas: 1 })`. Paths of `type: "json"` are those of the whole object. */
  patch<T extends KubeObject>(
    kind: Kind<T>,
    target: Target,
    patch: PatchBody<StatusOf<NoInfer<T>>>,
    options?: PatchOptions,
  ): Promise<Stored<T>>;
  /** Server-side apply of the status alone. */
  apply<T extends KubeObject>(
    kind: Kind<T>,
    configuration: ApplyConfiguration<NoInfer<T>>,
    options?: ApplyOptions,
  ): Promise<Stored<T>>;
}

/** What reconcilers are handed: reads perhaps from a cache, writes to the API server. @see controller-runtime pkg/client Client */
export interface ReadWriter extends Reader, Writer {}
