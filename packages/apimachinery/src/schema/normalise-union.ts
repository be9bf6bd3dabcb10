import { isRecord, jsonEqual, ownMember, setOwnMember } from "../value/json-value.ts";
import { annotations, type NormaliseContext, SchemaError } from "./normalise-context.ts";
import type { StructuralSchema } from "./structural-schema.ts";

/**
 * Converts a union to a form that Kubernetes supports: an enum, a nullable schema, int-or-string, or a single type with
 * the branches in `anyOf`.
 *
 * @throws {SchemaError} if the branches have different types
 */
export function normaliseUnion(
  input: Record<string, unknown>,
  branches: readonly unknown[],
  context: NormaliseContext,
): StructuralSchema {
  const beside: StructuralSchema = annotations(input);
  const present = branches.filter((branch) => !isNull(branch));
  if (present.length < branches.length) beside.nullable = true;
  const schemas = present.map((branch) => context.normalise(branch, context));
  const [first, ...others] = schemas;
  if (first === undefined) throw new SchemaError(context.path, "a union must have a branch other than null");
  if (others.length === 0) {
    const rules = [...(first["x-kubernetes-validations"] ?? []), ...(beside["x-kubernetes-validations"] ?? [])];
    return { ...first, ...beside, ...(rules.length > 0 ? { "x-kubernetes-validations": rules } : {}) };
  }
  if (schemas.some((schema) => schema["x-kubernetes-validations"]))
    throw new SchemaError(context.path, "one branch of a union cannot have rules; set them on the whole union");
  if (schemas.every((schema) => schema.enum !== undefined)) return { ...enumOf(schemas, context), ...beside };
  if (isIntOrString(schemas)) return { "x-kubernetes-int-or-string": true, ...beside };
  const types = new Set(schemas.map((schema) => (schema.type === "integer" ? "number" : schema.type)));
  if (types.size > 1 || first.type === undefined)
    throw new SchemaError(
      context.path,
      `a union of ${schemas.map((schema) => schema.type ?? "anything").join(" and ")} has no structural schema; use x-kubernetes-preserve-unknown-fields`,
    );
  const key = Array.isArray(input.oneOf) ? "oneOf" : "anyOf";
  const type = schemas.some((schema) => schema.type === "number") ? "number" : first.type;
  const checks = schemas.map(validationsOf);
  // A branch without validations accepts all values, so the other branches need not be checked.
  const isOpen = key === "anyOf" && checks.some((branch) => Object.keys(branch).length === 0);
  return { type, ...commonParts(schemas, context), ...beside, ...(isOpen ? {} : { [key]: checks }) };
}

const isNull = (branch: unknown): boolean =>
  isRecord(branch) && (branch.type === "null" || ("const" in branch && branch.const === null));

function enumOf(schemas: readonly StructuralSchema[], context: NormaliseContext): StructuralSchema {
  const values = schemas.flatMap((schema) => schema.enum ?? []);
  return context.normalise({ enum: values.filter((value, i) => values.indexOf(value) === i) }, context);
}

function isIntOrString(schemas: readonly StructuralSchema[]): boolean {
  const types = schemas.map((schema) => schema.type);
  return types.length === 2 && types.includes("string") && (types.includes("integer") || types.includes("number"));
}

/** Returns the parts of the branches that pruning and defaulting need outside the branches, such as properties and items. */
function commonParts(schemas: readonly StructuralSchema[], context: NormaliseContext): StructuralSchema {
  const common: StructuralSchema = {};
  const properties: Record<string, StructuralSchema> = {};
  for (const [name, first] of schemas.flatMap((schema) => Object.entries(schema.properties ?? {}))) {
    if (ownMember(properties, name)) continue;
    const versions = schemas.flatMap((schema) => ownMember(schema.properties, name) ?? []);
    const distinct = versions.filter((v, i) => versions.findIndex((other) => jsonEqual(v, other)) === i);
    setOwnMember(
      properties,
      name,
      distinct.length === 1 ? first : normaliseUnion({}, distinct, { ...context, path: `${context.path}.${name}` }),
    );
  }
  if (Object.keys(properties).length > 0) common.properties = properties;
  const items = schemas.flatMap((schema) => schema.items ?? []);
  const [item, ...moreItems] = items;
  if (item)
    common.items = moreItems.every((other) => jsonEqual(other, item)) ? item : normaliseUnion({}, items, context);
  const additional = schemas.flatMap((schema) =>
    isRecord(schema.additionalProperties) ? [schema.additionalProperties] : [],
  );
  const [value] = additional;
  if (value) common.additionalProperties = value as StructuralSchema;
  if (schemas.some((schema) => schema["x-kubernetes-preserve-unknown-fields"]))
    common["x-kubernetes-preserve-unknown-fields"] = true;
  return common;
}

const outsideOnly: ReadonlySet<string> = new Set([
  "type",
  "default",
  "nullable",
  "title",
  "description",
  "example",
  "additionalProperties",
]);

/** Returns a branch without the keywords that structural schemas do not allow in branches. */
function validationsOf(schema: StructuralSchema): StructuralSchema {
  const branch: StructuralSchema = Object.fromEntries(
    Object.entries(schema).filter(([key]) => !outsideOnly.has(key) && !key.startsWith("x-kubernetes-")),
  );
  if (schema.properties) {
    const properties = Object.entries(schema.properties).map(([name, inner]) => [name, validationsOf(inner)] as const);
    const validated = properties.filter(([, inner]) => Object.keys(inner).length > 0);
    if (validated.length > 0) branch.properties = Object.fromEntries(validated);
    else delete branch.properties;
  }
  if (schema.items) {
    const items = validationsOf(schema.items);
    if (Object.keys(items).length > 0) branch.items = items;
    else delete branch.items;
  }
  return branch;
}
