import type { FieldError, KubeObject } from "@kubewright/apimachinery";
import type { UserInfo } from "../authentication/user/user-info.ts";
import type { TableColumn } from "./table-column.ts";

/** What a strategy may know of the request. */
export interface StrategyContext {
  readonly user: UserInfo;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** The namespace of the URL; empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly dryRun: boolean;
}

/** How object names of a kind must look. Default `subdomain`. */
export type NameRule = "subdomain" | "label" | "dns1035Label" | "pathSegment" | "address";

/**
 * What a kind is different in. The generic store does the rest. Everything is optional: a kind without any of it is stored as it
 * comes, with metadata validated.
 *
 * Functions that take `object` alone may change it in place (it is a private copy of the request's object); `old` is frozen.
 *
 * @see apiserver pkg/registry/rest RESTCreateStrategy, RESTUpdateStrategy, RESTDeleteStrategy
 */
export interface KindStrategy<T extends KubeObject = KubeObject> {
  readonly nameRule?: NameRule;
  /** `metadata.generation` starts at 1 and rises when anything but metadata and status changes. Default false. */
  readonly countsGeneration?: boolean;
  /** Metadata that is counted too; `nothing`: the generation stays at 1. */
  readonly generationAlsoCounts?: "labels" | "annotations" | "nothing";
  /** The main endpoint ignores `status`, and `/status` takes metadata and it. Default: whether the resource has a status subresource. */
  readonly hasStatus?: boolean;
  /** Metadata that `/status` leaves as it is. Default: none of it for built-in kinds, all of it for custom ones. */
  readonly statusIgnoresMetadata?: "all" | readonly ("labels" | "ownerReferences")[];
  /** Fields that no client owns, since the main endpoint does not take them once the object is there. */
  readonly resetFields?: readonly string[];
  /** PUT to a missing name creates it. Default false. */
  readonly allowCreateOnUpdate?: boolean;
  /** PUT without resourceVersion is allowed. Default true. */
  readonly allowUnconditionalUpdate?: boolean;
  /** What happens to dependents when a deletion does not say. Default `background`. */
  readonly defaultGarbageCollectionPolicy?: "background" | "orphan" | "unsupported";
  /** Told to clients whose deletion does not say what becomes of dependents. */
  readonly warningOnUnsaidPropagation?: string;
  /** DELETE answers the object rather than a Status. Default false. */
  readonly returnDeletedObject?: boolean;
  /** Seconds a stored object lives (events). Default: for ever. */
  readonly ttlSeconds?: number;
  /** Seconds of grace a deletion gives when its options do not say (pods); 0 or absent: none. */
  gracePeriodSeconds?(object: T, asked: number | undefined): number;

  /** Called once, on the first deletion of an object that does not go at once: namespaces turn Terminating, definitions get a finalizer. */
  prepareForDelete?(object: T, context: StrategyContext): void;
  /** Whether something other than `metadata.finalizers` still holds the object (a namespace's `spec.finalizers`). */
  hasPendingFinalization?(object: T): boolean;

  /** Static defaults, on every decoded object of this kind, before admission. */
  applyDefaults?(object: T): void;
  /** Drops what a client may not set and fills derived fields, after admission. Status is dropped already where `hasStatus`. */
  prepareForCreate?(object: T, context: StrategyContext): void;
  /** Keeps what the main endpoint may not change. Status is restored already where `hasStatus`. */
  prepareForUpdate?(object: T, old: Readonly<T>, context: StrategyContext): void;
  /** After everything but `status` was restored from `old`. */
  prepareForStatusUpdate?(object: T, old: Readonly<T>, context: StrategyContext): void;
  /** Where a subresource wrote a part of the object (`approval`, `finalize`). */
  prepareForPartUpdate?(object: T, old: Readonly<T>, context: StrategyContext): void;
  /** Normal form: sort, drop duplicates. Right before the object is stored. */
  canonicalize?(object: T): void;

  /** Metadata is validated by the store. */
  validate?(object: T, context: StrategyContext): FieldError[];
  /** Called instead of `validate` on update; call `validate` yourself where upstream does. Default: `validate(object)`. */
  validateUpdate?(object: T, old: Readonly<T>, context: StrategyContext): FieldError[];
  /** Default: nothing. */
  validateStatusUpdate?(object: T, old: Readonly<T>, context: StrategyContext): FieldError[];
  /** Where another subresource wrote a part of the object. Default: nothing. */
  validatePartUpdate?(object: T, old: Readonly<T>, context: StrategyContext): FieldError[];
  warningsOnCreate?(object: T, context: StrategyContext): string[];
  warningsOnUpdate?(object: T, old: Readonly<T>, context: StrategyContext): string[];

  /** Table columns with their cells; default: Name and Age. */
  readonly columns?: readonly TableColumn<T>[];
  /** Field selectors beyond `metadata.name` and `metadata.namespace`: label -> value of an object. */
  readonly selectableFields?: Readonly<Record<string, FieldValue<T>>>;
  /** Unknown field selectors answer `field label not supported: x` (kinds with a list of their own). Default: whether `selectableFields` is set. */
  readonly ownFieldLabels?: boolean;
  /** What is said of a field selector that the kind does not offer. Default: `field label not supported: x`. */
  unknownFieldLabel?(field: string): string;
  /** Where the scale subresource reads and writes, as paths such as `.spec.replicas`. */
  readonly scale?: ScalePaths<T>;
}

/** A method's type, so that the strategy of a kind also counts as one of any kind. */
type FieldValue<T extends KubeObject> = { value(object: T): string }["value"];

/** Where the scale subresource finds its three values in an object. */
export interface ScalePaths<T extends KubeObject = KubeObject> {
  /** Such as `["spec", "replicas"]`. */
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  /** The selector as text, for `status.selector`. */
  selector?(object: T): string;
}
