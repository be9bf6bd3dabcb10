import { isRecord, setOwnMember } from "../value/json-value.ts";
import { matchesFormat } from "./formats.ts";
import { SchemaError } from "./normalise-context.ts";
import type { StructuralSchema } from "./structural-schema.ts";
import { validateAgainstSchema } from "./validate.ts";

/** Receives the error for a field for which no valid value was found. */
export type OnSampleProblem = (error: SchemaError) => void;

/**
 * Returns a minimal value that is valid for a structural schema. It contains only required fields. The value of a field
 * is its example, its default, the first valid value in its enum, or a short generated value.
 *
 * @param onProblem called for a field without a valid value, for example because of its pattern. The field then gets an
 *   invalid value of the right type. Default: throws the error
 * @throws {SchemaError} if no valid value was found for a field; the error contains the path of the field
 */
export function sampleOfSchema(schema: StructuralSchema, path = "", onProblem: OnSampleProblem = raise): unknown {
  // Each candidate may have problems, but only those of the value that is returned count.
  let first: { readonly value: unknown; readonly problems: readonly SchemaError[] } | undefined;
  for (const candidate of candidatesOf(schema)) {
    const problems: SchemaError[] = [];
    const value = candidate(path, onProblem === raise ? raise : (error) => void problems.push(error));
    if (problems.length === 0 && fits(value, schema)) return structuredClone(value);
    first ??= { value, problems };
  }
  const own = new SchemaError(path, "no valid value was found; add an example, a default or an enum to the schema");
  for (const problem of first?.problems.length ? first.problems : [own]) onProblem(problem);
  return structuredClone(first?.value);
}

const raise: OnSampleProblem = (error) => {
  throw error;
};

const fits = (value: unknown, schema: StructuralSchema): boolean => validateAgainstSchema(value, schema).length === 0;

/** Returns a value that may be valid. Reports problems of the fields in it. */
type Candidate = (path: string, onProblem: OnSampleProblem) => unknown;

const given =
  (value: unknown): Candidate =>
  () =>
    value;

function candidatesOf(schema: StructuralSchema): readonly Candidate[] {
  const { example, default: preset, enum: values } = schema;
  const stated = [example, preset, ...(values ?? []).filter((value) => value !== null)].filter(
    (value) => value !== undefined,
  );
  if (stated.some((value) => fits(value, schema))) return stated.map(given);
  const branches = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  const narrower = branches.flatMap((branch) => madeUp(withBranch(schema, branch)));
  return [...madeUp(schema), ...narrower, ...(schema.nullable ? [given(null)] : [])];
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

function madeUp(schema: StructuralSchema): readonly Candidate[] {
  if (schema["x-kubernetes-int-or-string"]) return [1, "1", "1%", "10Mi"].map(given);
  switch (schema.type) {
    case "array":
      return [(path, onProblem) => listOf(schema, path, onProblem)];
    case "boolean":
      return [given(false), given(true)];
    case "integer":
    case "number":
      return numbers(schema).map(given);
    case "object":
      return [(path, onProblem) => objectOf(schema, path, onProblem)];
    case "string":
      return texts(schema).map(given);
    default:
      return [given({})];
  }
}

/** Maximum length of generated text, lists and maps, as JSON. A definition may require billions of items. */
const longestMadeUp = 64 * 1024;

/**
 * Returns how often a generated value may be repeated. If that is less than required, reports a problem.
 *
 * @param what what is required, such as `items`
 */
function repetitions(value: unknown, wanted: number, what: string, report: (message: string) => void): number {
  const most = Math.floor(longestMadeUp / (JSON.stringify(value)?.length || 1));
  if (wanted > most) report(`${wanted} ${what} are too many to generate; add an example or a default to the schema`);
  return Math.min(wanted, most);
}

function listOf(
  { items = {}, minItems = 0, ...schema }: StructuralSchema,
  path: string,
  onProblem: OnSampleProblem,
): unknown[] {
  if (minItems === 0) return [];
  const item = sampleOfSchema(items, `${path}[]`, onProblem);
  if (minItems > 1 && schema["x-kubernetes-list-type"] !== undefined && schema["x-kubernetes-list-type"] !== "atomic")
    onProblem(
      new SchemaError(path, `${minItems} distinct items are required; add an example or a default to the schema`),
    );
  const length = repetitions(item, minItems, "items", (message) => onProblem(new SchemaError(path, message)));
  return Array.from({ length }, () => structuredClone(item));
}

function objectOf(schema: StructuralSchema, path: string, onProblem: OnSampleProblem): Record<string, unknown> {
  const { properties = {}, required = [], additionalProperties, minProperties = 0 } = schema;
  const result: Record<string, unknown> = {};
  const at = (name: string): string => (path === "" ? name : `${path}.${name}`);
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  // Fields with a default come first, because the object has them anyway.
  const hasDefault = (name: string): number => Number(properties[name]?.default !== undefined);
  const added = optional
    .toSorted((a, b) => hasDefault(b) - hasDefault(a))
    .slice(0, Math.max(0, minProperties - required.length));
  for (const name of [...required, ...added]) {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const inner = known ?? (isRecord(additionalProperties) ? (additionalProperties as StructuralSchema) : {});
    setOwnMember(result, name, sampleOfSchema(inner, at(name), onProblem));
  }
  const present = Object.keys(result).length;
  if (isRecord(additionalProperties) && present < minProperties) {
    const value = sampleOfSchema(additionalProperties as StructuralSchema, at("*"), onProblem);
    const report = (message: string): void => onProblem(new SchemaError(path, message));
    const added = repetitions({ key10000: value }, minProperties - present, "members", report);
    for (let i = present; i < present + added; i++) setOwnMember(result, `key${i + 1}`, structuredClone(value));
  }
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
  "example.com/v1",
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
  return [minLength === 0 ? word : word.padEnd(Math.min(minLength, longestMadeUp), "e")];
}
