import type { FieldError, KubeObject } from "@kubewright/apimachinery";
import type { Random } from "@kubewright/clock";
import type { RequestUser } from "../authentication/user/user-info.ts";
import type { TableColumn } from "./table-column.ts";

/** Information about a request that is passed to a strategy. */
export interface StrategyContext {
  readonly user: RequestUser;
  /** Current time, in milliseconds since 1970. */
  readonly nowMs: number;
  /** Namespace in the URL; empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly dryRun: boolean;
}

/** Format of a kind's object names. Default `subdomain`. */
export type NameRule = "subdomain" | "label" | "dns1035Label" | "pathSegment" | "address";

/**
 * Defines how a kind's behavior differs from that of the generic store. All members are optional. Without any members,
 * objects are stored as received, and only their metadata is validated.
 *
 * Functions may change `object` in place, because it is a private copy of the object in the request; `old` is frozen.
 *
 * @see apiserver pkg/registry/rest RESTCreateStrategy, RESTUpdateStrategy, RESTDeleteStrategy
 */
export interface KindStrategy<T extends KubeObject = KubeObject> {
  readonly nameRule?: NameRule | undefined;
  /** True if `metadata.generation` starts at 1, and increases when anything except the metadata and status changes. Default false. */
  readonly countsGeneration?: boolean | undefined;
  /** Metadata whose changes increase the generation as well. With `nothing`, the generation always remains 1. */
  readonly generationAlsoCounts?: "labels" | "annotations" | "nothing" | undefined;
  /**
   * True if the main endpoint ignores `status`, and `/status` accepts only `status` and metadata. Default: true if the resource has a
   * status subresource.
   */
  readonly hasStatus?: boolean | undefined;
  /** Metadata that `/status` does not change. Default: none for built-in kinds, all for custom ones. */
  readonly statusIgnoresMetadata?: "all" | readonly ("labels" | "ownerReferences")[] | undefined;
  /**
   * Fields that the main endpoint does not change in existing objects. A write through it therefore does not make the
   * writer their owner.
   */
  readonly resetFields?: readonly string[] | undefined;
  /** True if a PUT creates an object that does not exist. Default false. */
  readonly allowCreateOnUpdate?: boolean | undefined;
  /** True if a PUT without a `resourceVersion` is allowed. Default true. */
  readonly allowUnconditionalUpdate?: boolean | undefined;
  /** Propagation policy for deletions that do not specify one. Default `background`. */
  readonly defaultGarbageCollectionPolicy?: "background" | "orphan" | "unsupported" | undefined;
  /** Warning for deletions that do not specify a propagation policy. */
  readonly warningOnDefaultPropagation?: string | undefined;
  /** True if DELETE returns the object rather than a Status. Default false. */
  readonly returnDeletedObject?: boolean | undefined;
  /** Lifetime of a stored object in seconds, for example of events. Default: unlimited. */
  readonly ttlSeconds?: number | undefined;
  /**
   * Returns the grace period of a deletion, in seconds; `asked` is the requested one. If the function is absent or returns 0, there is no
   * grace period.
   */
  gracePeriodSeconds?(object: T, asked: number | undefined): number;

  /**
   * Called for the first deletion of an object that is not removed immediately. For example, a namespace becomes Terminating, and a CRD
   * gets a finalizer.
   */
  prepareForDelete?(object: T, context: StrategyContext): void;
  /**
   * Reports whether something other than `metadata.finalizers` still prevents the removal of the object, such as the `spec.finalizers` of a
   * namespace.
   */
  hasPendingFinalization?(object: T): boolean;

  /** Fills in static defaults of each decoded object of this kind, before admission. */
  applyDefaults?(object: T): void;
  /**
   * Removes fields that clients cannot set and fills in derived fields, after admission. If `hasStatus` is true, the status has already
   * been removed.
   */
  prepareForCreate?(object: T, context: StrategyContext, random: Random): void;
  /** Restores fields that the main endpoint cannot change. If `hasStatus` is true, the status has already been restored. */
  prepareForUpdate?(object: T, old: Readonly<T>, context: StrategyContext): void;
  /** Prepares an update to the status. Everything except `status` has already been restored from `old`. */
  prepareForStatusUpdate?(object: T, old: Readonly<T>, context: StrategyContext): void;
  /** Prepares an update by a subresource that writes a part of the object, such as `approval` or `finalize`. */
  prepareForPartUpdate?(object: T, old: Readonly<T>, context: StrategyContext): void;
  /**
   * Converts the object to its normal form, for example by sorting and removing duplicates. Called immediately before the object is stored.
   */
  canonicalize?(object: T): void;

  /**
   * Fields whose rules upstream declares and enforces, with `[]` after lists, such as `rules[].verbs`. Their errors come last and without a
   * reason.
   */
  readonly declaredFields?: readonly string[] | undefined;

  /** Validates the object, except its metadata, which the store validates. */
  validate?(object: T, context: StrategyContext): FieldError[];
  /** Validates an update, instead of `validate`. Must call `validate` itself if upstream does so. Default: `validate(object)`. */
  validateUpdate?(object: T, old: Readonly<T>, context: StrategyContext): FieldError[];
  /** Validates an update to the status. Default: no validation. */
  validateStatusUpdate?(object: T, old: Readonly<T>, context: StrategyContext): FieldError[];
  /** Validates an update by a subresource other than the status. Default: no validation. */
  validatePartUpdate?(object: T, old: Readonly<T>, context: StrategyContext): FieldError[];
  warningsOnCreate?(object: T, context: StrategyContext): string[];
  warningsOnUpdate?(object: T, old: Readonly<T>, context: StrategyContext): string[];

  /** Columns of Tables, with the functions for their cells. Default: Name and Age. */
  readonly columns?: readonly TableColumn<T>[] | undefined;
  /**
   * Fields that field selectors can use, in addition to `metadata.name` and `metadata.namespace`. Maps each field label to a function that
   * returns the field's value.
   */
  readonly selectableFields?: Readonly<Record<string, FieldValue<T>>> | undefined;
  /**
   * True if an unknown field label causes the error `field label not supported: x`, as for kinds with their own list of labels. Default:
   * true if `selectableFields` is set.
   */
  readonly ownFieldLabels?: boolean | undefined;
  /** Returns the error message for an unsupported field label. Default: `field label not supported: x`. */
  unknownFieldLabel?(field: string): string;
  /** Paths that the scale subresource uses. */
  readonly scale?: ScalePaths<T> | undefined;
}

/**
 * Returns the value of an object's field. Declared like a method, so that a strategy for one kind is assignable to a
 * strategy for any kind.
 */
export type FieldValue<T extends KubeObject> = { value(object: T): string }["value"];

/** Paths in an object to the values that the scale subresource contains. */
export interface ScalePaths<T extends KubeObject = KubeObject> {
  /** Path of the desired number of replicas, such as `["spec", "replicas"]`. */
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  /** Returns the text for `status.selector` of a Scale. */
  selector?(object: T): string;
}
