import type { DefinedKind } from "../definition/define-kind.ts";
import type { KubeObject } from "../object/object.ts";

/** `T`, but what may be absent may be `undefined` as well. */
type Loose<T> = T extends (infer E)[]
  ? Loose<E>[]
  : T extends object
    ? { [K in keyof T]: Record<never, never> extends Pick<T, K> ? Loose<T[K]> | undefined : Loose<T[K]> }
    : T;

/** The part of the metadata that a conversion may change. */
export interface ConvertedMetadata {
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/**
 * What a conversion returns: spec, status and whatever else the kind has. Metadata is carried over; labels and annotations that are
 * returned stand instead of those that were. `{ ...site, spec: … }` will do: `apiVersion` and `kind` are set to what was asked for.
 */
export type Converted<T> = Loose<Omit<T, "apiVersion" | "kind" | "metadata">> & {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?: ConvertedMetadata | undefined;
};

/**
 * How a spoke's objects become the hub's, and back. Both take a copy of the object, of which they may keep parts, and neither waits for
 * anything. What they do not name is gone, `status` too. What they throw is what the API server is told.
 */
export interface SpokeConversion<S extends KubeObject, H extends KubeObject> {
  readonly toHub: (object: S) => Converted<H>;
  readonly fromHub: (object: H) => Converted<S>;
  /** Set by {@link preserving}. */
  readonly preserves?: boolean | undefined;
}

/** A version beside the hub, of whatever type. Made by {@link spoke}. */
export interface Spoke<H extends KubeObject> {
  readonly kind: DefinedKind;
  /** Undefined: the fields are the same as the hub's, and nothing is to be done. */
  readonly conversion: SpokeConversion<KubeObject, H> | undefined;
  /** Never there at run time: whose objects become the hub's as they are must be of the hub's type. */
  readonly same?: (object: H) => H;
}

/**
 * A version that is converted to and from the hub: `spoke(SiteV1Beta1, { toHub, fromHub })`. Without functions its fields have to be the
 * hub's, as those of a `v1beta1` that became `v1` unchanged.
 */
export function spoke<S extends KubeObject>(kind: DefinedKind<S>): Spoke<S>;
export function spoke<S extends KubeObject, H extends KubeObject>(
  kind: DefinedKind<S>,
  conversion: SpokeConversion<NoInfer<S>, H>,
): Spoke<H>;
export function spoke<S extends KubeObject, H extends KubeObject>(
  kind: DefinedKind<S>,
  conversion?: SpokeConversion<S, H>,
): Spoke<H> {
  if (!conversion) return { kind, conversion };
  const { toHub, fromHub, preserves } = conversion;
  // Called with objects of this kind's version alone.
  return { kind, conversion: { toHub: (object) => toHub(object as S), fromHub, preserves } };
}

/**
 * The conversion, and what the spoke cannot hold of the hub is kept in an annotation of the spoke's objects, so that it is there again
 * when they come back: `spoke(SiteV1Beta1, preserving({ toHub, fromHub }))`.
 *
 * Fields that the spoke has win over what was kept: who edits them through the spoke has edited them, and what they took away stays away.
 * Items of lists find what they lost by their keys (`x-kubernetes-list-map-keys`), else by being as they were, else by their place in a
 * list of the same length. Stored objects never have the annotation. Who replaces an object through the spoke and leaves the annotation
 * out drops what it keeps; a patch does not.
 *
 * Annotations end at 256 KiB. What is larger can be read through the spoke and not written: a `ConversionError` says at which version
 * it can.
 *
 * @see cluster-api util/conversion MarshalData, UnmarshalData, which keep the whole object and leave the rest to the caller
 */
export function preserving<S extends KubeObject, H extends KubeObject>(
  conversion: SpokeConversion<S, H>,
): SpokeConversion<S, H> {
  return { ...conversion, preserves: true };
}
