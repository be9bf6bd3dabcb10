import {
  type FieldError,
  fieldError,
  isRecord,
  jsonEqual,
  omittedValue,
  ownMember,
  stringifyJson,
} from "@kubewright/apimachinery";
import { compilePattern, isBadPattern, lengthOf, MatchingTooCostlyError } from "@kubewright/cel";
import type { JsonSchema } from "../definition/definition.ts";
import { hasFormat, isKnownFormat } from "./formats.ts";
import { itemIdentity } from "./item-identity.ts";

/**
 * Validates a value against a schema, and returns the errors, with upstream's messages. Does not evaluate CEL rules.
 *
 * @param path path of the value in messages; empty for the object itself
 *
 * @param old previous value; unchanged values are not validated again
 * @see apiextensions-apiserver pkg/apiserver/validation ValidateCustomResource
 */
export function validateValue(value: unknown, schema: JsonSchema, path: string, old?: unknown): FieldError[] {
  try {
    return errorsOf(value, schema, path, old, new ValidationWork());
  } catch (error) {
    if (!(error instanceof TooMuchWork)) throw error;
    return [fieldError.invalid(nameOf(path), omittedValue, error.message)];
  }
}

/** Maximum number of times that a value is compared with a schema: ten for each value that a request may contain. */
const maxWork = 1_000_000;

class TooMuchWork extends Error {
  override readonly name = "TooMuchWork";

  constructor() {
    super("has too many values to check against all alternatives in its schema");
  }
}

/** Limits the work for one validation, because thousands of values may each be compared with thousands of alternatives. */
class ValidationWork {
  #left = maxWork;

  /** Counts comparisons. @throws {TooMuchWork} if their number exceeds the maximum */
  spend(work = 1): void {
    this.#left -= work;
    if (this.#left < 0) throw new TooMuchWork();
  }
}

function errorsOf(value: unknown, schema: JsonSchema, path: string, old: unknown, work: ValidationWork): FieldError[] {
  work.spend();
  if (old !== undefined && jsonEqual(old, value)) return [];
  if (value === null) return schema.nullable || acceptsAnything(schema) ? [] : typeErrors(value, schema, path);
  return [
    ...typeErrors(value, schema, path),
    ...combinationErrors(value, schema, path, work),
    ...(typeof value === "string" ? stringErrors(value, schema, path) : []),
    ...(typeof value === "number" || typeof value === "bigint" ? numberErrors(value, schema, path) : []),
    ...(Array.isArray(value) ? listErrors(value, schema, path, old, work) : []),
    ...enumErrors(value, schema, path, work),
    ...(isRecord(value) ? objectErrors(value, schema, path, old, work) : []),
  ];
}

const acceptsAnything = (schema: JsonSchema): boolean => !schema.type && !schema["x-kubernetes-int-or-string"];

const below = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);

/** Returns the JSON Schema type of a value. As in upstream, integers are those that fit into 64 bits, or that a double can represent. */
function jsonSchemaType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "bigint") return value === BigInt.asIntN(64, value) ? "integer" : "number";
  // Larger integers without exponent are read as bigints.
  if (typeof value === "number") return Number.isSafeInteger(value) ? "integer" : "number";
  return isRecord(value) ? "object" : typeof value;
}

/** Returns a number as Go reads it: a double if it does not fit into 64 bits. */
const asRead = (value: number | bigint): number | bigint =>
  jsonSchemaType(value) === "number" ? Number(value) : value;

/** Formats of Go's types of numbers. Other values have none. */
const goFormats: Readonly<Record<string, string>> = { integer: "int64", number: "float64" };

function typeErrors(value: unknown, schema: JsonSchema, path: string): FieldError[] {
  const actual = jsonSchemaType(value);
  const types = schema["x-kubernetes-int-or-string"] ? ["integer", "string"] : schema.type ? [schema.type] : [];
  if (types.length === 0 || types.includes(actual)) return [];
  if (actual === "integer" && types.includes("number")) return [];
  const format = formatOf(schema);
  const isNumeric = types.includes("integer") || types.includes("number");
  if (format !== undefined && actual !== "null") {
    if (actual !== "string" && actual !== "array") return [wrongType(path, format, goFormats[actual] ?? "")];
    // As in upstream, a list is accepted as a string that has a format.
    if (!isNumeric) return [];
  }
  return [wrongType(path, types.join(","), actual)];
}

/** Returns the format of a schema, unless the API server ignores it. */
function formatOf({ type, format }: JsonSchema): string | undefined {
  if (!format || !isKnownFormat(format)) return undefined;
  return type === "number" && (format === "int32" || format === "int64") ? undefined : format;
}

const wrongType = (path: string, wanted: string, actual: string): FieldError =>
  fieldError.typeInvalid(nameOf(path), actual, `${path} in body must be of type ${wanted}: "${actual}"`);

const nameOf = (path: string): string => (path === "" ? "<nil>" : path);

function invalid(path: string, value: unknown, text: string): FieldError {
  return fieldError.invalid(nameOf(path), value, `${path} in body ${text}`);
}

function patternProblem(value: string, source: string): string | undefined {
  const pattern = compilePattern(source);
  if (isBadPattern(pattern)) return undefined;
  try {
    return pattern.test(value) ? undefined : `should match '${source}'`;
  } catch (error) {
    if (!(error instanceof MatchingTooCostlyError)) throw error;
    return `cannot be matched against '${source}': ${error.message}`;
  }
}

function stringErrors(value: string, schema: JsonSchema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const length = lengthOf(value);
  // Upstream reports only the first of the following three errors.
  if (schema.maxLength !== undefined && length > schema.maxLength)
    errors.push(fieldError.tooLong(nameOf(path), schema.maxLength));
  else if (schema.minLength !== undefined && length < schema.minLength)
    errors.push(invalid(path, value, `should be at least ${schema.minLength} chars long`));
  else {
    const mismatch = schema.pattern ? patternProblem(value, schema.pattern) : undefined;
    if (mismatch) errors.push(invalid(path, value, mismatch));
  }
  if (schema.format && !hasFormat(value, schema.format))
    errors.push(
      fieldError.typeInvalid(
        nameOf(path),
        value,
        `${path} in body must be of type ${schema.format}: ${JSON.stringify(value)}`,
      ),
    );
  return errors;
}

function numberErrors(value: number | bigint, schema: JsonSchema, path: string): FieldError[] {
  const { multipleOf, maximum, minimum } = schema;
  const number = Number(value);
  const shown = asRead(value);
  const errors = rangeErrors(value, schema, path);
  if (multipleOf !== undefined) {
    // as in upstream, an integer must be a multiple of the factor's integer part
    const isInteger = jsonSchemaType(value) === "integer";
    const factor = isInteger ? Math.trunc(multipleOf) : multipleOf;
    const isMultiple = (): boolean =>
      isInteger ? BigInt(value) % BigInt(factor) === 0n : Number.isSafeInteger(number / factor);
    if (factor <= 0)
      errors.push(
        fieldError.invalid(nameOf(path), factor, `factor MultipleOf declared for ${path} must be positive: ${factor}`),
      );
    else if (!isMultiple()) errors.push(invalid(path, shown, `should be a multiple of ${factor}`));
  }
  if (maximum !== undefined && (schema.exclusiveMaximum ? number >= maximum : number > maximum))
    errors.push(invalid(path, shown, `should be less than ${schema.exclusiveMaximum ? "" : "or equal to "}${maximum}`));
  if (minimum !== undefined && (schema.exclusiveMinimum ? number <= minimum : number < minimum))
    errors.push(
      invalid(path, shown, `should be greater than ${schema.exclusiveMinimum ? "" : "or equal to "}${minimum}`),
    );
  return errors;
}

/** Returns an error for a number that the Go type of the schema's type and format cannot represent. */
function rangeErrors(value: number | bigint, schema: JsonSchema, path: string): FieldError[] {
  const { type } = schema;
  const format = formatOf(schema);
  const number = Number(value);
  const isWithin = (bits: number): boolean =>
    Number.isInteger(number) && BigInt(value) === BigInt.asIntN(bits, BigInt(value));
  const fits =
    type === "integer"
      ? isWithin(format === "int32" ? 32 : 64)
      : format !== "float" || Number.isFinite(Math.fround(number));
  if (fits || (type !== "integer" && type !== "number")) return [];
  const shown = format === undefined ? "(default format)" : `with format ${format}`;
  return [fieldError.invalid("<nil>", "", `Checked value must be of type ${type} ${shown} in ${path}`)];
}

function enumErrors(value: unknown, schema: JsonSchema, path: string, work: ValidationWork): FieldError[] {
  const { enum: allowed } = schema;
  if (!allowed || allowed.length === 0 || isAmong(value, allowed, work)) return [];
  // Upstream converts a number to the type of the allowed value, which cuts off its fraction.
  if (typeof value === "number" && !Number.isInteger(value) && isAmong(Math.trunc(value), allowed, work)) return [];
  work.spend(allowed.length);
  return [
    fieldError.notSupported(
      nameOf(path),
      typeof value === "bigint" ? asRead(value) : value,
      allowed.map((each) => (typeof each === "string" ? each : stringifyJson(each))),
    ),
  ];
}

const scalarsOf = new WeakMap<readonly unknown[], ReadonlySet<unknown>>();

/** Reports whether a value is one of the allowed values. Scalars are looked up in a set; other values are compared one by one. */
function isAmong(value: unknown, allowed: readonly unknown[], work: ValidationWork): boolean {
  let scalars = scalarsOf.get(allowed);
  if (!scalars) {
    scalars = new Set(allowed);
    scalarsOf.set(allowed, scalars);
  }
  if (scalars.has(value)) return true;
  if (typeof value === "string" || typeof value === "boolean") return false;
  work.spend(allowed.length);
  return allowed.some((other) => jsonEqual(other, value));
}

function listErrors(
  value: readonly unknown[],
  schema: JsonSchema,
  path: string,
  old: unknown,
  work: ValidationWork,
): FieldError[] {
  const errors: FieldError[] = [];
  const { items } = schema;
  if (items) {
    const oldItemOf = correlatedItems(schema, old);
    for (const [i, item] of value.entries())
      for (const error of errorsOf(item, items, `${path}[${i}]`, oldItemOf(item), work)) errors.push(error);
  }
  if (schema.minItems !== undefined && value.length < schema.minItems)
    errors.push(invalid(path, value.length, `should have at least ${schema.minItems} items`));
  if (schema.maxItems !== undefined && value.length > schema.maxItems)
    errors.push(fieldError.tooMany(nameOf(path), value.length, schema.maxItems));
  return errors;
}

/**
 * Returns a function that finds the old item with the same keys as a new item. Items of lists without keys have no corresponding old item.
 */
function correlatedItems(schema: JsonSchema, old: unknown): (item: unknown) => unknown {
  const keys = schema["x-kubernetes-list-type"] === "map" ? schema["x-kubernetes-list-map-keys"] : undefined;
  if (!keys || !Array.isArray(old)) return () => undefined;
  const first = new Map<string, unknown>();
  for (const item of old) {
    const identity = itemIdentity(item, keys, ownMember);
    if (identity !== undefined && !first.has(identity)) first.set(identity, item);
  }
  return (item) => {
    const identity = itemIdentity(item, keys, ownMember);
    return identity === undefined ? undefined : first.get(identity);
  };
}

function objectErrors(
  value: Readonly<Record<string, unknown>>,
  schema: JsonSchema,
  path: string,
  old: unknown,
  work: ValidationWork,
): FieldError[] {
  const errors: FieldError[] = [];
  const count = Object.keys(value).length;
  if (schema.minProperties !== undefined && count < schema.minProperties)
    errors.push(invalid(path, count, `should have at least ${schema.minProperties} properties`));
  if (schema.maxProperties !== undefined && count > schema.maxProperties)
    errors.push(fieldError.tooMany(nameOf(path), count, schema.maxProperties));
  const properties = schema.properties ?? {};
  for (const name of schema.required ?? [])
    if (!Object.hasOwn(value, name)) errors.push(fieldError.required(below(path, name)));
  const extra = typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
  for (const [name, member] of Object.entries(value)) {
    const inner = ownMember(properties, name) ?? extra;
    if (!inner) continue;
    const before = isRecord(old) ? ownMember(old, name) : undefined;
    for (const error of errorsOf(member, inner, below(path, name), before, work)) errors.push(error);
  }
  return errors;
}

function combinationErrors(value: unknown, schema: JsonSchema, path: string, work: ValidationWork): FieldError[] {
  const tried = (schemas: readonly JsonSchema[]): FieldError[][] =>
    schemas.map((each) => errorsOf(value, each, path, undefined, work));
  const about = (text: string): FieldError => fieldError.invalid("<nil>", "", `"${path}" must ${text}`);
  const errors: FieldError[] = [];
  if (schema.anyOf && schema.anyOf.length > 0) {
    const results = tried(schema.anyOf);
    if (results.every((result) => result.length > 0))
      for (const error of [about("validate at least one schema (anyOf)"), ...(results[0] ?? [])]) errors.push(error);
  }
  if (schema.oneOf && schema.oneOf.length > 0) {
    const results = tried(schema.oneOf);
    const valid = results.filter((result) => result.length === 0).length;
    if (valid === 0)
      for (const error of [about("validate one and only one schema (oneOf). Found none valid"), ...(results[0] ?? [])])
        errors.push(error);
    else if (valid > 1)
      errors.push(about(`validate one and only one schema (oneOf). Found ${valid} valid alternatives`));
  }
  if (schema.allOf && schema.allOf.length > 0) {
    const results = tried(schema.allOf);
    const valid = results.filter((result) => result.length === 0).length;
    for (const error of results.flat()) errors.push(error);
    if (valid < results.length)
      errors.push(about(`validate all the schemas (allOf)${valid === 0 ? ". None validated" : ""}`));
  }
  if (schema.not && errorsOf(value, schema.not, path, undefined, work).length === 0)
    errors.push(about("not validate the schema (not)"));
  return errors;
}
