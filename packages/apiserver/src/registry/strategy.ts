import type { FieldError, KubeObject } from "@kubewright/apimachinery";
import type { RequestUser } from "../authentication/user/user-info.ts";
import type { TableColumn } from "./table-column.ts";

/** Information about the request, for a strategy. */
export interface StrategyContext {
  readonly user: RequestUser;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** Namespace of the URL; empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly dryRun: boolean;
}

/** Format of a kind's object names. Default `subdomain`. */
export type NameRule = "subdomain" | "label" | "dns1035Label" | "pathSegment" | "address";

/**
 * Special behavior of a kind, in addition to the generic store. Everything is optional: a kind without special behavior is stored
 * as received, with validated metadata.
 *
 * Functions with only `object` may change it in place (it is a private copy of the request's object); `old` is frozen.
 *
 * @see apiserver pkg/registry/rest RESTCreateStrategy, RESTUpdateStrategy, RESTDeleteStrategy
 */
export interface KindStrategy<T extends KubeObject = KubeObject> {
  readonly nameRule?: NameRule | undefined;
  /** True if `metadata.generation` starts at 1 and increases when anything except metadata and status changes. Default false. */
  readonly countsGeneration?: boolean | undefined;
  /** Metadata whose changes also increase the generation; with `nothing`, the generation stays at 1. */
  readonly generationAlsoCounts?: "labels" | "annotations" | "nothing" | undefined;
  /**
   * True if the main endpoint ignores `status`, and `/status` accepts only `status` and metadata. Default: true if the resource has a
   * status subresource.
   */
  readonly hasStatus?: boolean | undefined;
  /** Metadata that `/status` does not change. Default: none for built-in kinds, all for custom ones. */
  readonly statusIgnoresMetadata?: "all" | readonly ("labels" | "ownerReferences")[] | undefined;
  /** Fields without owners, because the main endpoint does not change them on existing objects. */
  readonly resetFields?: readonly string[] | undefined;
  /** True if a PUT to a missing name creates it. Default false. */
  readonly allowCreateOnUpdate?: boolean | undefined;
  /** True if a PUT without resourceVersion is allowed. Default true. */
  readonly allowUnconditionalUpdate?: boolean | undefined;
  /** Policy for dependents if a deletion does not specify one. Default `background`. */
  readonly defaultGarbageCollectionPolicy?: "background" | "orphan" | "unsupported" | undefined;
  /** Warning for deletions that do not specify the treatment of dependents. */
  readonly warningOnDefaultPropagation?: string | undefined;
  /** True if DELETE returns the object rather than a Status. Default false. */
  readonly returnDeletedObject?: boolean | undefined;
  /** Lifetime of a stored object in seconds (events). Default: unlimited. */
  readonly ttlSeconds?: number | undefined;
  /** Returns the grace period, in seconds, for deletions whose options have none (pods). If 0 or absent, there is no grace period. */
  gracePeriodSeconds?(object: T, asked: number | undefined): number;

  /**
   * Called on the first deletion of an object that is not removed immediately. For example, namespaces become Terminating, and CRDs get a
   * finalizer.
   */
  prepareForDelete?(object: T, context: StrategyContext): void;
  /** True if something other than `metadata.finalizers` still holds the object (a namespace's `spec.finalizers`). */
  hasPendingFinalization?(object: T): boolean;

  /** Sets static defaults on every decoded object of this kind, before admission. */
  applyDefaults?(object: T): void;
  /**
   * Removes fields that clients cannot set and fills in derived ones, after admission. If `hasStatus`, the status has been removed already.
   */
  prepareForCreate?(object: T, context: StrategyContext): void;
  /** Restores fields that the main endpoint cannot change. If `hasStatus`, the status has been restored already. */
  prepareForUpdate?(object: T, old: Readonly<T>, context: StrategyContext): void;
  /** Called after everything except `status` was restored from `old`. */
  prepareForStatusUpdate?(object: T, old: Readonly<T>, context: StrategyContext): void;
  /** Called if a subresource wrote a part of the object (`approval`, `finalize`). */
  prepareForPartUpdate?(object: T, old: Readonly<T>, context: StrategyContext): void;
  /** Converts to normal form: sorts, removes duplicates. Called right before storing. */
  canonicalize?(object: T): void;

  /** Validates the object; the store validates metadata. */
  validate?(object: T, context: StrategyContext): FieldError[];
  /** Called instead of `validate` on update; call `validate` yourself where upstream does. Default: `validate(object)`. */
  validateUpdate?(object: T, old: Readonly<T>, context: StrategyContext): FieldError[];
  /** Validates an update of the status. Default: no validation. */
  validateStatusUpdate?(object: T, old: Readonly<T>, context: StrategyContext): FieldError[];
  /** Called if another subresource wrote a part of the object. Default: nothing. */
  validatePartUpdate?(object: T, old: Readonly<T>, context: StrategyContext): FieldError[];
  warningsOnCreate?(object: T, context: StrategyContext): string[];
  warningsOnUpdate?(object: T, old: Readonly<T>, context: StrategyContext): string[];

  /** Table columns with their cells. Default: Name and Age. */
  readonly columns?: readonly TableColumn<T>[] | undefined;
  /**
   * Field selectors in addition to `metadata.name` and `metadata.namespace`, as a map from the label to a function that returns the
   * object's value.
   */
  readonly selectableFields?: Readonly<Record<string, FieldValue<T>>> | undefined;
  /**
   * True if unknown field selectors return `field label not supported: x` (kinds with their own list). Default: true if `selectableFields`
   * is set.
   */
  readonly ownFieldLabels?: boolean | undefined;
  /** Returns the message for an unsupported field selector. Default: `field label not supported: x`. */
  unknownFieldLabel?(field: string): string;
  /** Paths of the scale subresource, such as `.spec.replicas`. */
  readonly scale?: ScalePaths<T> | undefined;
}

/** Declared like a method, so that the strategy of one kind is assignable to the strategy of any kind. */
export type FieldValue<T extends KubeObject> = { value(object: T): string }["value"];

/** Paths of the scale subresource's three values in an object. */
export interface ScalePaths<T extends KubeObject = KubeObject> {
  /** Path, such as `["spec", "replicas"]`. */
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  /** Returns the selector as text, for `status.selector`. */
  selector?(object: T): string;
}
