import type { DefinedKind } from "../definition/define-kind.ts";
import type { KubeObject } from "../object/object.ts";

/** The type `T`, but with `undefined` allowed for optional members. */
export type ConvertedFields<T> = T extends (infer E)[]
  ? ConvertedFields<E>[]
  : T extends object
    ? {
        [K in keyof T]: Record<never, never> extends Pick<T, K>
          ? ConvertedFields<T[K]> | undefined
          : ConvertedFields<T[K]>;
      }
    : T;

/**
 * Result of a conversion: spec, status and all other fields of the kind. Metadata is copied from the original; if the
 * result contains labels or annotations, these replace the original ones. A result such as `{ ...site, spec: … }` is
 * allowed, because `apiVersion` and `kind` are set to the target version in any case.
 */
export type Converted<T> = ConvertedFields<Omit<T, "apiVersion" | "kind" | "metadata">> & {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?:
    | {
        readonly labels?: Readonly<Record<string, string>> | undefined;
        readonly annotations?: Readonly<Record<string, string>> | undefined;
      }
    | undefined;
};

/**
 * Conversion functions between a spoke and the hub. Both receive a copy of the object and may return parts of it. Both must be synchronous.
 * Fields that they do not return are lost, including `status`. Errors that they throw are reported to the API server.
 */
export interface SpokeConversion<S extends KubeObject, H extends KubeObject> {
  readonly toHub: (object: S) => Converted<H>;
  readonly fromHub: (object: H) => Converted<S>;
  /** True if {@link preserving} created these functions. */
  readonly preserves?: boolean | undefined;
}

/** A version other than the hub, created by {@link spoke}. */
export interface Spoke<H extends KubeObject> {
  readonly kind: DefinedKind;
  /** Conversion functions. `undefined` if the version has the same fields as the hub. */
  readonly conversion: SpokeConversion<KubeObject, H> | undefined;
  /**
   * Type of the hub, if the spoke has no conversion functions. The compiler then checks that both types are equal. This
   * member is never set at run time.
   */
  readonly same?: ((object: H) => H) | undefined;
}

/**
 * Declares a version that is converted to and from the hub: `spoke(SiteV1Beta1, { toHub, fromHub })`. Without these
 * functions, it must have the same fields as the hub, for example because `v1beta1` became `v1` without any change.
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
  // The functions are called only with objects of this version.
  return { kind, conversion: { toHub: (object) => toHub(object as S), fromHub, preserves } };
}

/**
 * Stores hub data that the spoke cannot represent in an annotation on the spoke's objects, and restores the data when they are converted
 * back: `spoke(SiteV1Beta1, preserving({ toHub, fromHub }))`.
 *
 * Fields that exist in the spoke take precedence over the preserved data: if a client of the spoke changes or removes
 * such a field, the change is kept. List items are matched by their keys (`x-kubernetes-list-map-keys`), or else by
 * equality, or else by position if the length of the list has not changed. Stored objects never have the annotation.
 * Replacing an object through the spoke without the annotation discards the preserved data; patching it does not.
 *
 * Annotations are limited to 256 KiB. An object with more data can be read through the spoke but not written; the
 * `ConversionError` states which version to use.
 *
 * @see cluster-api util/conversion MarshalData, UnmarshalData, which preserve the whole object and leave merging to the caller
 */
export function preserving<S extends KubeObject, H extends KubeObject>(
  conversion: SpokeConversion<S, H>,
): SpokeConversion<S, H> {
  return { ...conversion, preserves: true };
}
