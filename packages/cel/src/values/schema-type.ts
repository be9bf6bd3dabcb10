import type { DeclField, DeclType } from "./decl-type.ts";
import { escapeFieldName } from "./field-names.ts";
import { type CelType, celType } from "./type.ts";

/** The parts of a structural schema that are used to create a type. */
export interface SchemaOfType {
  readonly type?: string | undefined;
  readonly format?: string | undefined;
  readonly default?: unknown;
  readonly enum?: readonly unknown[] | undefined;
  readonly maxLength?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly maxProperties?: number | undefined;
  readonly required?: readonly string[] | undefined;
  readonly items?: SchemaOfType | undefined;
  readonly properties?: Readonly<Record<string, SchemaOfType>> | undefined;
  readonly additionalProperties?: SchemaOfType | boolean | undefined;
  readonly "x-kubernetes-embedded-resource"?: boolean | undefined;
  readonly "x-kubernetes-int-or-string"?: boolean | undefined;
  readonly "x-kubernetes-list-type"?: string | undefined;
  readonly "x-kubernetes-list-map-keys"?: readonly string[] | undefined;
}

const maxRequestBytes = 3 * 1024 * 1024;

/**
 * Returns the type of values that match the given structural schema. Returns `undefined` for values that expressions
 * cannot see: values without a schema, and lists or maps of such values.
 *
 * @param isResourceRoot if true, `apiVersion`, `kind`, `metadata.name` and `metadata.generateName` exist, whether or not the schema
 *   contains them
 * @param name name of the type; the types below it are named by their paths
 * @see apiserver pkg/cel/common SchemaDeclType
 */
export function declTypeOf(schema: SchemaOfType, isResourceRoot: boolean, name: string): DeclType | undefined {
  if (schema["x-kubernetes-int-or-string"]) {
    const longest = schema.maxLength === undefined ? maxRequestBytes - 2 : Math.max(schema.maxLength, 0) * 4;
    return scalarType(celType.dyn, 1, longest);
  }
  const full = isResourceRoot ? withTypeAndMetadata(schema) : schema;
  switch (full.type) {
    case "array":
      return listType(full, name);
    case "object":
      return objectOrMapType(full, name);
    case "string":
      return stringType(full);
    case "boolean":
      return scalarType(celType.bool, 4);
    case "number":
      return scalarType(celType.double, 1);
    case "integer":
      return scalarType(celType.int, 1);
    default:
      return undefined;
  }
}

const scalarType = (type: CelType, minSerializedSize: number, maxElements = 0): DeclType => ({
  type,
  minSerializedSize,
  maxElements,
});

const plainString: SchemaOfType = { type: "string" };

function withTypeAndMetadata(schema: SchemaOfType): SchemaOfType {
  const { kind, apiVersion, metadata } = schema.properties ?? {};
  const { name, generateName } = metadata?.properties ?? {};
  const isThere = [kind, apiVersion, name, generateName].every((property) => property?.type === "string");
  if (isThere && metadata?.type === "object") return schema;
  const own = { type: "object", properties: { name: plainString, generateName: plainString } };
  return { ...schema, properties: { ...schema.properties, kind: plainString, apiVersion: plainString, metadata: own } };
}

const isEmbedded = (schema: SchemaOfType): boolean => schema["x-kubernetes-embedded-resource"] ?? false;

function listType(schema: SchemaOfType, name: string): DeclType | undefined {
  const elem = schema.items ? declTypeOf(schema.items, isEmbedded(schema.items), `${name}.@idx`) : undefined;
  if (!elem) return undefined;
  const most = schema.maxItems ?? Math.floor((maxRequestBytes - 2) / (elem.minSerializedSize + 1));
  const listKind = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  return {
    type: celType.list(elem.type),
    elem,
    maxElements: Math.max(most, 0),
    minSerializedSize: 2,
    ...(listKind === "set" ? { topology: { type: "set" } } : {}),
    ...(listKind === "map" ? { topology: { type: "map", keys: keys.map((key) => escapeFieldName(key) ?? key) } } : {}),
  };
}

function objectOrMapType(schema: SchemaOfType, name: string): DeclType | undefined {
  const extra = schema.additionalProperties;
  if (typeof extra === "object") {
    const elem = declTypeOf(extra, isEmbedded(extra), `${name}.@elem`);
    if (!elem) return undefined;
    const most = schema.maxProperties ?? Math.floor((maxRequestBytes - 2) / (elem.minSerializedSize + 6));
    return {
      type: celType.map(celType.string, elem.type),
      key: scalarType(celType.string, 2),
      elem,
      maxElements: Math.max(most, 0),
      minSerializedSize: 2,
    };
  }
  const fields = new Map<string, DeclField>();
  let minSerializedSize = 2;
  for (const [property, propertySchema] of Object.entries(schema.properties ?? {})) {
    const escaped = escapeFieldName(property);
    const type = declTypeOf(propertySchema, isEmbedded(propertySchema), `${name}.${escaped ?? property}`);
    if (!type) continue;
    const required = schema.required?.includes(property) ?? false;
    if (escaped !== undefined) fields.set(escaped, { jsonName: property, type, required });
    if (required && propertySchema.default === undefined)
      minSerializedSize += Buffer.byteLength(property) + type.minSerializedSize + 4;
  }
  return { type: celType.struct(name), fields, maxElements: 0, minSerializedSize };
}

function stringType({ format, maxLength, enum: values = [] }: SchemaOfType): DeclType {
  switch (format) {
    case "byte":
      return scalarType(celType.bytes, 2, maxLength === undefined ? maxRequestBytes - 2 : Math.max(maxLength, 0));
    case "duration":
      return scalarType(celType.duration, 3, 32);
    case "date":
      return scalarType(celType.timestamp, 12, 12);
    case "date-time":
      return scalarType(celType.timestamp, 21, 32);
  }
  if (maxLength !== undefined) return scalarType(celType.string, 2, Math.max(maxLength, 0) * 4);
  const lengths = values.map((value) => (typeof value === "string" ? Buffer.byteLength(value) : 0));
  return scalarType(celType.string, 2, values.length > 0 ? Math.max(...lengths) : maxRequestBytes - 2);
}

/**
 * Returns a function that returns the maximum size of the value at a path. The first part of a path is the variable's
 * name.
 */
export function sizesOf(root: DeclType): (path: readonly string[]) => number | undefined {
  return ([_variable, ...path]) => {
    let type: DeclType | undefined = root;
    for (const part of path) {
      if (part === "@items" || part === "@values") type = type?.elem;
      else if (part === "@keys") type = type?.key;
      else type = type?.fields?.get(part)?.type;
      if (!type) return undefined;
    }
    return type?.maxElements;
  };
}
