import type { CelType } from "./type.ts";

/**
 * A declared type: the checker's type for a value ({@link CelType}), and additional information for estimating costs
 * and converting from JSON. Create it from a structural schema with `declTypeOf`, or with {@link objectType}.
 *
 * @see apiserver pkg/cel DeclType
 */
export interface DeclType {
  readonly type: CelType;
  /** Maximum length of a string, list or map. */
  readonly maxElements: number;
  /** Minimum size of the value's JSON, in bytes. */
  readonly minSerializedSize: number;
  readonly elem?: DeclType | undefined;
  readonly key?: DeclType | undefined;
  /** Fields of an object, keyed by the (escaped) name that expressions use. */
  readonly fields?: ReadonlyMap<string, DeclField> | undefined;
  /** Determines how list items are identified. */
  readonly topology?: { readonly type: "set" } | { readonly type: "map"; readonly keys: readonly string[] } | undefined;
}

/** A field in an object's {@link DeclType}. @see apiserver pkg/cel DeclField */
export interface DeclField {
  /** Name of the member in the JSON object. */
  readonly jsonName: string;
  readonly type: DeclType;
  readonly required: boolean;
}

/** Creates a named object type with the given fields. Fields are optional unless listed as required. */
export function objectType(
  name: string,
  fields: Readonly<Record<string, DeclType>>,
  required: readonly string[] = [],
): DeclType {
  return {
    type: { kind: "struct", name },
    maxElements: 0,
    minSerializedSize: 2,
    fields: new Map(
      Object.entries(fields).map(([field, type]) => [
        field,
        { jsonName: field, type, required: required.includes(field) },
      ]),
    ),
  };
}

/** Creates a declared type without fields or limits, such as a scalar or a list of scalars. */
export const plainType = (type: CelType, elem?: DeclType): DeclType => ({
  type,
  maxElements: -1,
  minSerializedSize: 0,
  ...(elem ? { elem } : {}),
});
