import { isRecord, jsonEqual, ownMember, setOwnMember } from "../value/json-value.ts";
import { annotations, type NormaliseContext, SchemaError } from "./normalise-context.ts";
import { normaliseUnion } from "./normalise-union.ts";
import type { StructuralSchema } from "./structural-schema.ts";

type JsonSchema = Record<string, unknown>;

/** Keyword that marks a property as required although it has a default. */
const kept = "x-kubewright-required";
/** Keyword that marks a schema as already structural, so that it is not converted. */
const verbatim = "x-kubewright-verbatim";

/**
 * Converts a JSON schema to the structural OpenAPI v3 schema that a CustomResourceDefinition requires. Unions of
 * literals become enums, unions with null become `nullable`, records become `additionalProperties`, intersections are
 * merged, and references are inlined. Properties with a default are optional unless they have the keyword
 * `x-kubewright-required`. Empty schemas (`{}`) and recursive references preserve unknown fields. A schema with the
 * keyword `x-kubewright-verbatim` is not converted.
 *
 * @throws {SchemaError} if the schema has no structural form, such as a union of an object and a string
 */
export function toStructuralSchema(schema: unknown, path = ""): StructuralSchema {
  return normalise(schema, { path, definitions: {}, open: [], normalise });
}

/** Converts one level of a schema for {@link toStructuralSchema}. */
function normalise(input: unknown, context: NormaliseContext): StructuralSchema {
  if (input === true) return { "x-kubernetes-preserve-unknown-fields": true };
  if (!isRecord(input)) throw new SchemaError(context.path, `not a schema: ${JSON.stringify(input)}`);
  if (input[verbatim] === true) return asWritten(input);
  const definitions = { ...context.definitions, ...asRecord(input.definitions), ...asRecord(input.$defs) };
  const inner = { ...context, definitions };
  if (typeof input.$ref === "string") return resolve(input.$ref, input, inner);
  const types = Array.isArray(input.type) ? input.type : undefined;
  if (types) return normalise({ ...input, type: undefined, anyOf: types.map((type) => ({ type })) }, inner);
  const branches = input.anyOf ?? input.oneOf;
  if (Array.isArray(branches) && input["x-kubernetes-int-or-string"] !== true && !isStructural(input))
    return normaliseUnion(input, branches, inner);
  if (Array.isArray(input.allOf) && !isStructural(input)) return intersection(input, input.allOf, inner);
  return single(input, inner);
}

function asWritten({ [verbatim]: _verbatim, [kept]: _kept, ...schema }: JsonSchema): StructuralSchema {
  return schema;
}

/** Reports whether a schema with branches already has the form that Kubernetes uses: a type next to the branches. */
function isStructural(schema: JsonSchema): boolean {
  return typeof schema.type === "string";
}

function single(input: JsonSchema, context: NormaliseContext): StructuralSchema {
  const output = annotations(input);
  if ("const" in input) output.enum = [input.const];
  else if (Array.isArray(input.enum)) output.enum = [...input.enum];
  const type = typeOf(input, output.enum, context.path);
  if (type) output.type = type;
  if (input.nullable === true) output.nullable = true;
  numbers(input, output);
  if (type === "object") objectMembers(input, output, context);
  if (type === "array") listItems(input, output, context);
  for (const key of ["allOf", "anyOf", "oneOf"] as const) {
    const branches = input[key];
    if (Array.isArray(branches)) output[key] = branches as StructuralSchema[];
  }
  if (isRecord(input.not)) output.not = input.not;
  if (!type && !output["x-kubernetes-int-or-string"]) output["x-kubernetes-preserve-unknown-fields"] = true;
  return output;
}

const structuralTypes = ["array", "boolean", "integer", "number", "object", "string"] as const;

function typeOf(
  input: JsonSchema,
  values: readonly unknown[] | undefined,
  path: string,
): NonNullable<StructuralSchema["type"]> | undefined {
  const { type } = input;
  if (type === "bigint") return "integer";
  const known = structuralTypes.find((one) => one === type);
  if (known) return known === "number" && values?.every(Number.isInteger) ? "integer" : known;
  if (type !== undefined)
    throw new SchemaError(path, `type ${JSON.stringify(type)} is not supported in a structural schema`);
  if (input["x-kubernetes-int-or-string"] === true) return undefined;
  if (values) {
    const kinds = new Set(values.filter((value) => value !== null).map((value) => typeof value));
    const [kind] = kinds;
    if (kinds.size === 1 && (kind === "string" || kind === "boolean")) return kind;
    if (kinds.size === 1 && kind === "number") return values.every(Number.isInteger) ? "integer" : "number";
    throw new SchemaError(path, "the values of an enum must have the same type");
  }
  if (isRecord(input.properties) || isRecord(input.additionalProperties) || isRecord(input.patternProperties))
    return "object";
  return input.items === undefined ? undefined : "array";
}

function numbers(input: JsonSchema, output: StructuralSchema): void {
  const plain = [
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
  ] as const;
  for (const key of plain) if (isNumeric(input[key])) output[key] = Number(input[key]);
  for (const [bound, exclusive] of [
    ["minimum", "exclusiveMinimum"],
    ["maximum", "exclusiveMaximum"],
  ] as const) {
    if (isNumeric(input[bound])) output[bound] = Number(input[bound]);
    if (input[exclusive] === true) output[exclusive] = true;
    if (isNumeric(input[exclusive])) {
      output[bound] = Number(input[exclusive]);
      output[exclusive] = true;
    }
  }
  if (input.pattern instanceof RegExp) output.pattern = input.pattern.source;
  else if (typeof input.pattern === "string") output.pattern = input.pattern;
}

function objectMembers(input: JsonSchema, output: StructuralSchema, context: NormaliseContext): void {
  const at = (name: string): NormaliseContext => ({
    ...context,
    path: context.path ? `${context.path}.${name}` : name,
  });
  const properties = asRecord(input.properties);
  const entries = Object.entries(properties);
  if (entries.length > 0)
    output.properties = Object.fromEntries(entries.map(([name, schema]) => [name, normalise(schema, at(name))]));
  const required = Array.isArray(input.required) ? input.required.filter((name) => typeof name === "string") : [];
  const isNeeded = (name: string): boolean =>
    ownMember(output.properties, name)?.default === undefined || asRecord(ownMember(properties, name))[kept] === true;
  const needed = required.filter(isNeeded);
  if (needed.length > 0) output.required = needed;
  const [pattern, ...more] = Object.values(asRecord(input.patternProperties));
  if (more.length > 0) throw new SchemaError(context.path, "only one pattern for property names is supported");
  const additional = pattern ?? input.additionalProperties;
  if (additional === true) output["x-kubernetes-preserve-unknown-fields"] = true;
  if (!isRecord(additional)) return;
  if (entries.length > 0)
    throw new SchemaError(context.path, "properties and additional properties cannot be used together");
  output.additionalProperties = normalise(additional, at("*"));
}

function listItems(input: JsonSchema, output: StructuralSchema, context: NormaliseContext): void {
  const inner = { ...context, path: `${context.path}[]` };
  const tuple = Array.isArray(input.prefixItems)
    ? input.prefixItems
    : Array.isArray(input.items)
      ? input.items
      : undefined;
  if (tuple) {
    output.items = normalise(tuple.length === 1 ? tuple[0] : { anyOf: tuple }, inner);
    output.minItems ??= tuple.length;
    output.maxItems ??= tuple.length;
    return;
  }
  output.items = normalise(input.items ?? {}, inner);
  const scalar = output.items.type !== undefined && output.items.type !== "object" && output.items.type !== "array";
  if (input.uniqueItems === true && scalar) output["x-kubernetes-list-type"] ??= "set";
}

function intersection(input: JsonSchema, parts: readonly unknown[], context: NormaliseContext): StructuralSchema {
  const { allOf: _parts, ...rest } = input;
  const schemas = parts.map((part) => normalise(part, context));
  let result: StructuralSchema = annotations(rest);
  for (const schema of schemas) result = merged(result, schema, context.path);
  return result;
}

function merged(a: StructuralSchema, b: StructuralSchema, path: string): StructuralSchema {
  if (a.type !== undefined && b.type !== undefined && a.type !== b.type)
    throw new SchemaError(path, `no value can be both ${a.type} and ${b.type}`);
  const properties = { ...a.properties };
  for (const [name, schema] of Object.entries(b.properties ?? {})) {
    const known = ownMember(properties, name);
    setOwnMember(
      properties,
      name,
      known && !jsonEqual(known, schema) ? merged(known, schema, `${path}.${name}`) : schema,
    );
  }
  const required = [...new Set([...(a.required ?? []), ...(b.required ?? [])])];
  const rules = [...(a["x-kubernetes-validations"] ?? []), ...(b["x-kubernetes-validations"] ?? [])];
  return {
    ...a,
    ...b,
    ...(rules.length > 0 ? { "x-kubernetes-validations": rules } : {}),
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
  };
}

function resolve(reference: string, input: JsonSchema, context: NormaliseContext): StructuralSchema {
  const name = reference.replace(/^#\/(\$defs|definitions)\//, "");
  const target = ownMember(context.definitions, name);
  if (target === undefined)
    throw new SchemaError(context.path, `reference ${JSON.stringify(reference)} is not defined`);
  const { $ref: _reference, $defs: _defs, definitions: _definitions, ...rest } = input;
  if (context.open.includes(name))
    return { ...annotations(rest), type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const { $id: _id, ...body } = asRecord(target);
  return normalise({ ...body, ...rest }, { ...context, open: [...context.open, name] });
}

const isNumeric = (value: unknown): value is number | bigint => typeof value === "number" || typeof value === "bigint";
const asRecord = (value: unknown): JsonSchema => (isRecord(value) ? value : {});
