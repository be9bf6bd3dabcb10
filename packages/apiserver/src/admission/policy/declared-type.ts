import type { DeclField, DeclType } from "@kubewright/cel";
import { type CelType, celType, escapeFieldName } from "@kubewright/cel";
import type { ObjectSchema, ScalarName, TypeSchema } from "@kubewright/codec/schema";

const plain = (type: CelType, elem?: DeclType): DeclType => ({
  type,
  maxElements: -1,
  minSerializedSize: 0,
  ...(elem ? { elem } : {}),
});

/** CEL types of scalar types. A scalar that is not listed has no type in the published schema either, so expressions cannot access it. */
const scalars: Readonly<Record<ScalarName, CelType | undefined>> = {
  string: celType.string,
  int32: celType.int,
  int64: celType.int,
  uint8: celType.int,
  bool: celType.bool,
  double: celType.double,
  bytes: celType.bytes,
  Time: celType.timestamp,
  MicroTime: celType.timestamp,
  Duration: celType.string,
  IntOrString: celType.dyn,
  Quantity: undefined,
};

/**
 * Returns the type used to check expressions over objects of a built-in or custom kind. Returns `undefined` for values
 * without a schema, for lists and maps of such values, and for recursive types.
 *
 * @see apiserver pkg/cel/common SchemaDeclType
 */
export function declaredType(
  schema: TypeSchema,
  name: string,
  within: readonly TypeSchema[] = [],
): DeclType | undefined {
  if (within.includes(schema)) return undefined;
  const inner = [...within, schema];
  switch (schema.type) {
    case "scalar": {
      const type = scalars[schema.scalar];
      return type && plain(type);
    }
    case "list": {
      const elem = declaredType(schema.items, `${name}.@idx`, inner);
      return elem && plain(celType.list(elem.type), elem);
    }
    case "map": {
      const elem = declaredType(schema.values, `${name}.@elem`, inner);
      return elem && plain(celType.map(celType.string, elem.type), elem);
    }
    case "object":
      return objectOf(schema, name, inner);
    default:
      return undefined;
  }
}

function objectOf(schema: ObjectSchema, name: string, within: readonly TypeSchema[]): DeclType {
  const fields = new Map<string, DeclField>();
  for (const field of schema.fields.values()) {
    const escaped = escapeFieldName(field.name);
    const type = escaped === undefined ? undefined : declaredType(field.schema, `${name}.${escaped}`, within);
    if (escaped !== undefined && type) fields.set(escaped, { jsonName: field.name, type, required: field.required });
  }
  return { type: celType.struct(name), maxElements: 0, minSerializedSize: 2, fields };
}
