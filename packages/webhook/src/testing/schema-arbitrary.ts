import { isRecord, type StructuralSchema, stringifyJson, validateAgainstSchema } from "@kubewright/apimachinery";
import fc from "fast-check";
import { alternativesOf } from "./narrowed.ts";
import { stringArbitrary } from "./string-arbitrary.ts";

/** Number of consecutive rejected values after which the schema is considered unsatisfiable. */
const maxRefused = 10_000;
const maxListItems = 4;

/**
 * Generates values that a structural schema accepts. Fields with defaults may be absent.
 *
 * @throws {Error} when values are generated, if no accepted value is found; the message contains the path
 */
export function schemaArbitrary(schema: StructuralSchema, path: string, depth = 0): fc.Arbitrary<unknown> {
  const values = schema.enum
    ? fc.constantFrom(...schema.enum.filter((value) => value !== null || schema.nullable))
    : fc.oneof(...alternativesOf(schema).map((each) => valueArbitrary(each, path, depth)));
  const checked = taken(values, schema, path);
  return schema.nullable ? fc.option(checked, { nil: null }) : checked;
}

function taken(values: fc.Arbitrary<unknown>, schema: StructuralSchema, path: string): fc.Arbitrary<unknown> {
  let refused = 0;
  return values.filter((value) => {
    const [error] = validateAgainstSchema(value, schema);
    refused = error ? refused + 1 : 0;
    if (error && refused > maxRefused)
      throw new Error(
        `${path}: the schema accepted none of ${maxRefused} consecutive values (error of the last one: ${error.detail}); give the field an enum or a simpler pattern`,
      );
    return error === undefined;
  });
}

function valueArbitrary(schema: StructuralSchema, path: string, depth: number): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema["x-kubernetes-int-or-string"])
    return fc.oneof(integerArbitrary(schema), schema.pattern ? stringArbitrary(schema) : percent);
  switch (schema.type) {
    case "array":
      return listArbitrary(schema, path, depth);
    case "boolean":
      return fc.boolean();
    case "integer":
      return integerArbitrary(schema);
    case "number":
      return numberArbitrary(schema);
    case "object":
      return objectArbitrary(schema, path, depth);
    case "string":
      return stringArbitrary(schema);
    default:
      return anyJson;
  }
}

const percent = fc.integer({ min: 0, max: 100 }).map((value) => `${value}%`);
const anyJson = fc.jsonValue({ maxDepth: 2 }).map((value): unknown => structuredClone(value));
const key = fc.stringMatching(/^[a-z]([a-z0-9-]{0,6}[a-z0-9])?$/);

function integerArbitrary(schema: StructuralSchema): fc.Arbitrary<number> {
  const { multipleOf = 1, format } = schema;
  const widest = format === "int32" ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER;
  const { minimum = -widest, maximum = widest, exclusiveMinimum, exclusiveMaximum } = schema;
  const lowest = Math.ceil(minimum / multipleOf);
  const highest = Math.floor(maximum / multipleOf);
  const min = exclusiveMinimum && lowest * multipleOf === minimum ? lowest + 1 : lowest;
  const max = exclusiveMaximum && highest * multipleOf === maximum ? highest - 1 : highest;
  const inRange = fc.integer({ min, max: Math.max(min, max) });
  return inRange.map((value) => value * multipleOf);
}

function numberArbitrary(schema: StructuralSchema): fc.Arbitrary<number> {
  if (schema.multipleOf !== undefined) return integerArbitrary(schema);
  const { minimum: min = -1e9, maximum: max = 1e9, exclusiveMinimum, exclusiveMaximum } = schema;
  const bounds = { minExcluded: exclusiveMinimum === true, maxExcluded: exclusiveMaximum === true };
  return fc.double({ min, max, noNaN: true, ...bounds }).map((value) => (value === 0 ? 0 : value));
}

function listArbitrary(schema: StructuralSchema, path: string, depth: number): fc.Arbitrary<unknown[]> {
  const { items = {}, minItems: minLength = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
  const maxLength = Math.min(maxItems, minLength + Math.max(1, maxListItems - Math.floor(depth / 2)));
  const item = schemaArbitrary(items, `${path}[]`, depth + 1);
  const listType = schema["x-kubernetes-list-type"];
  if (listType !== "set" && listType !== "map") return fc.array(item, { minLength, maxLength });
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const selector = (value: unknown): string =>
    stringifyJson(
      listType === "map" && isRecord(value) ? keys.map((name) => identity(value[name], items, name)) : value,
    );
  return fc.uniqueArray(item, { minLength, maxLength, selector });
}

/** Returns the value of a key for comparison. An absent key has its default value. */
const identity = (value: unknown, { properties }: StructuralSchema, name: string): unknown =>
  value ?? properties?.[name]?.default ?? null;

function objectArbitrary(schema: StructuralSchema, path: string, depth: number): fc.Arbitrary<Record<string, unknown>> {
  const { properties = {}, additionalProperties, required = [], minProperties: minKeys = 0, maxProperties } = schema;
  const at = (name: string): string => (path === "" ? name : `${path}.${name}`);
  if (isRecord(additionalProperties)) {
    const maxKeys = Math.min(maxProperties ?? Number.POSITIVE_INFINITY, minKeys + maxListItems);
    const value = schemaArbitrary(additionalProperties as StructuralSchema, at("*"), depth + 1);
    return fc.dictionary(key, value, { minKeys, maxKeys, noNullPrototype: true });
  }
  const all = {
    ...Object.fromEntries(required.map((name) => [name, {}])),
    ...properties,
    ...(schema["x-kubernetes-embedded-resource"] ? embedded : {}),
  };
  const needed = schema["x-kubernetes-embedded-resource"] ? [...required, ...Object.keys(embedded)] : required;
  const members = Object.entries(all).map(([name, inner]) => [name, schemaArbitrary(inner, at(name), depth + 1)]);
  const model: Record<string, fc.Arbitrary<unknown>> = Object.fromEntries(members);
  const named = fc.record(model, { requiredKeys: needed, noNullPrototype: true });
  if (!schema["x-kubernetes-preserve-unknown-fields"]) return named;
  const unknown = fc.dictionary(key, anyJson, { maxKeys: 2, noNullPrototype: true });
  return fc.tuple(unknown, named).map(([more, value]) => ({ ...withoutNamed(more, properties), ...value }));
}

const withoutNamed = (more: Record<string, unknown>, named: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(more).filter(([name]) => !Object.hasOwn(named, name)));

/** Members that an embedded object needs. */
const embedded: Record<string, StructuralSchema> = {
  apiVersion: { type: "string", enum: ["v1"] },
  kind: { type: "string", enum: ["ConfigMap"] },
  metadata: { type: "object", required: ["name"], properties: { name: { type: "string", enum: ["embedded"] } } },
};
