import { isRecord, setOwnMember } from "../value/json-value.ts";
import { matchesFormat } from "./formats.ts";
import { SchemaError } from "./normalise-context.ts";
import type { StructuralSchema } from "./structural-schema.ts";
import { validateAgainstSchema } from "./validate.ts";

/**
 * Returns a minimal value that is valid for a structural schema. It contains only required fields. The value of each field is its example,
 * its default, the first valid value of its enum, or a short generated value.
 *
 * @throws {SchemaError} if no valid value was found for a field, for example because of its pattern; the error contains the path of the
 *   field
 */
export function sampleOfSchema(schema: StructuralSchema, path = ""): unknown {
  for (const candidate of candidatesOf(schema, path)) if (fits(candidate, schema)) return structuredClone(candidate);
  throw new SchemaError(path, "no valid value was found; add an example, a default or an enum to the schema");
}

const fits = (value: unknown, schema: StructuralSchema): boolean => validateAgainstSchema(value, schema).length === 0;

function candidatesOf(schema: StructuralSchema, path: string): readonly unknown[] {
  const { example, default: given, enum: values } = schema;
  const stated = [example, given, ...(values ?? []).filter((value) => value !== null)].filter(
    (value) => value !== undefined,
  );
  if (stated.some((value) => fits(value, schema))) return stated;
  const branches = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  const alone = madeUp(schema, path);
  const narrower = branches.flatMap((branch) => madeUp(withBranch(schema, branch), path));
  return [...alone, ...narrower, ...(schema.nullable ? [null] : [])];
}

/** Adds the constraints of a branch to a schema. They take precedence over the constraints of the schema itself. */
function withBranch(schema: StructuralSchema, branch: StructuralSchema): StructuralSchema {
  const properties = Object.entries(branch.properties ?? {}).map(([name, inner]) => [
    name,
    { ...schema.properties?.[name], ...inner },
  ]);
  return {
    ...schema,
    ...branch,
    ...(schema.properties ? { properties: { ...schema.properties, ...Object.fromEntries(properties) } } : {}),
    required: [...new Set([...(schema.required ?? []), ...(branch.required ?? [])])],
  };
}

function madeUp(schema: StructuralSchema, path: string): readonly unknown[] {
  if (schema["x-kubernetes-int-or-string"]) return [1, "1", "1%", "10Mi"];
  switch (schema.type) {
    case "array":
      return [listOf(schema, path)];
    case "boolean":
      return [false, true];
    case "integer":
    case "number":
      return numbers(schema);
    case "object":
      return [objectOf(schema, path)];
    case "string":
      return texts(schema);
    default:
      return [{}];
  }
}

function listOf({ items = {}, minItems = 0, ...schema }: StructuralSchema, path: string): unknown[] {
  if (minItems === 0) return [];
  const item = sampleOfSchema(items, `${path}[]`);
  if (minItems > 1 && schema["x-kubernetes-list-type"] !== undefined && schema["x-kubernetes-list-type"] !== "atomic")
    throw new SchemaError(path, `${minItems} distinct items are required; add an example or a default to the schema`);
  return Array.from({ length: minItems }, () => structuredClone(item));
}

function objectOf(schema: StructuralSchema, path: string): Record<string, unknown> {
  const { properties = {}, required = [], additionalProperties, minProperties = 0 } = schema;
  const result: Record<string, unknown> = {};
  const at = (name: string): string => (path === "" ? name : `${path}.${name}`);
  for (const name of required) {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const inner = known ?? (isRecord(additionalProperties) ? (additionalProperties as StructuralSchema) : {});
    setOwnMember(result, name, sampleOfSchema(inner, at(name)));
  }
  if (isRecord(additionalProperties))
    for (let i = Object.keys(result).length; i < minProperties; i++)
      setOwnMember(result, `key${i + 1}`, sampleOfSchema(additionalProperties as StructuralSchema, at("*")));
  return result;
}

/**
 * Returns numbers that may be valid: small numbers first, and then the numbers at the bounds. The caller skips invalid
 * numbers.
 */
function numbers({ type, minimum, maximum, multipleOf }: StructuralSchema): readonly number[] {
  const step = multipleOf ?? (type === "integer" ? 1 : 0.5);
  const from = (bound: number, direction: 1 | -1): number[] => {
    const first = (direction === 1 ? Math.ceil(bound / step) : Math.floor(bound / step)) * step;
    return [first, first + direction * step];
  };
  const least = minimum === undefined ? [] : from(minimum, 1);
  const most = maximum === undefined ? [] : from(maximum, -1);
  const between = type === "number" && minimum !== undefined && maximum !== undefined ? [(minimum + maximum) / 2] : [];
  return [1, 0, ...least, ...most, ...between, step];
}

const formats: readonly string[] = [
  "2026-01-01T00:00:00Z",
  "2026-01-01",
  "1h",
  "someone@example.com",
  "example.com",
  "192.0.2.1",
  "2001:db8::1",
  "192.0.2.0/24",
  "https://example.com/",
  "00000000-0000-4000-8000-000000000000",
  "00:00:5e:00:53:00",
  "ZXhhbXBsZQ==",
];

/** Texts that match many of the patterns in Kubernetes kinds. */
const usual: readonly string[] = [
  "",
  "example",
  "a",
  "A",
  "1",
  "1s",
  "10m",
  "1Gi",
  "v1",
  "/",
  "/example",
  "* * * * *",
  ...formats,
];

function texts({ format, minLength = 0, maxLength, pattern }: StructuralSchema): readonly string[] {
  if (format !== undefined && pattern === undefined) {
    const known = formats.filter((text) => matchesFormat(format, text));
    if (known.length > 0 && known.length < formats.length) return [...known, ""];
  }
  if (pattern !== undefined) return usual;
  const word = "example".slice(0, maxLength);
  return [minLength === 0 ? word : word.padEnd(minLength, "e")];
}
