import { type FieldError, fieldError } from "../error/field-error.ts";
import { FieldPath } from "../error/field-path.ts";
import { formatGoNumber } from "../value/go-format.ts";
import { isRecord, jsonEqual, ownMember } from "../value/json-value.ts";
import { isKnownFormat, matchesFormat, matchesPattern } from "./formats.ts";
import type { StructuralSchema } from "./structural-schema.ts";

/**
 * Returns all violations of a schema, with the API server's messages. Does not evaluate CEL rules.
 *
 * @see apiextensions-apiserver apiserver/validation ValidateCustomResource
 */
export function validateAgainstSchema(
  value: unknown,
  schema: StructuralSchema,
  path: FieldPath = FieldPath.root,
): FieldError[] {
  return [...errorsOf(value, schema, path), ...duplicateErrors(value, schema, path)];
}

function errorsOf(value: unknown, schema: StructuralSchema, path: FieldPath): FieldError[] {
  const hasType = schema.type !== undefined || schema["x-kubernetes-int-or-string"] === true;
  if (value === null) return schema.nullable === true || !hasType ? [] : typeErrors(value, schema, path);
  return [
    ...typeErrors(value, schema, path),
    ...branchErrors(value, schema, path),
    ...(typeof value === "string" ? stringErrors(value, schema, path) : []),
    ...(typeof value === "number" || typeof value === "bigint" ? numberErrors(value, schema, path) : []),
    ...(Array.isArray(value) ? listErrors(value, schema, path) : []),
    ...enumErrors(value, schema, path),
    ...(isRecord(value) ? objectErrors(value, schema, path) : []),
  ];
}

/** Returns the JSON Schema type of a value as the API server reads it: integers beyond 64 bits are numbers. */
function actualType(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number" || typeof value === "bigint") return isWithin(value, 64) ? "integer" : "number";
  return typeof value;
}

/** Reports whether a number is an integer with at most this many bits. */
const isWithin = (value: number | bigint, bits: number): boolean =>
  Number.isInteger(Number(value)) && BigInt(value) === BigInt.asIntN(bits, BigInt(value));

function typeErrors(value: unknown, schema: StructuralSchema, path: FieldPath): FieldError[] {
  const wanted =
    schema["x-kubernetes-int-or-string"] === true ? ["integer", "string"] : schema.type ? [schema.type] : [];
  const actual = actualType(value);
  if (wanted.length === 0 || wanted.some((type) => type === actual || (type === "number" && actual === "integer")))
    return [];
  const wrong = (type: string, found: string): FieldError[] => [
    fieldError.typeInvalid(path, found, `${inBody(path)} must be of type ${type}: "${found}"`),
  ];
  const format = formatOf(schema);
  if (format !== undefined && actual !== "null") {
    if (actual !== "string" && actual !== "array") return wrong(format, ownMember(goFormats, actual) ?? "");
    // The API server accepts a list as a string that has a format.
    if (schema.type === "string") return [];
  }
  return wrong(wanted.join(","), actual);
}

/** Formats of Go's types of numbers. Other values have none. */
const goFormats: Readonly<Record<string, string>> = { integer: "int64", number: "float64" };

/** Returns the format of a schema, unless the API server ignores it. */
function formatOf({ type, format }: StructuralSchema): string | undefined {
  if (!format || !isKnownFormat(format)) return undefined;
  return type === "number" && (format === "int32" || format === "int64") ? undefined : format;
}

const inBody = (path: FieldPath): string => (path === FieldPath.root ? " in body" : `${path} in body`);

function enumErrors(value: unknown, schema: StructuralSchema, path: FieldPath): FieldError[] {
  // The API server converts a number to the type of the allowed value, which cuts off its fraction.
  const cut = typeof value === "number" ? Math.trunc(value) : value;
  if (!schema.enum || schema.enum.some((allowed) => jsonEqual(allowed, value) || jsonEqual(allowed, cut))) return [];
  const supported = schema.enum.map((allowed) => (typeof allowed === "string" ? allowed : JSON.stringify(allowed)));
  return [fieldError.notSupported(path, value, supported)];
}

function numberErrors(given: number | bigint, schema: StructuralSchema, path: FieldPath): FieldError[] {
  const { minimum, maximum, multipleOf } = schema;
  const value = Number(given);
  const invalid = (text: string): FieldError => fieldError.invalid(path, value, `${inBody(path)} should be ${text}`);
  const errors = rangeErrors(given, schema, path);
  const isMultiple = (factor: number): boolean =>
    isWithin(given, 64) ? Number.isInteger(value / factor) : Number.isSafeInteger(value / factor);
  if (multipleOf !== undefined && !isMultiple(multipleOf))
    errors.push(invalid(`a multiple of ${formatGoNumber(multipleOf)}`));
  if (maximum !== undefined) {
    if (schema.exclusiveMaximum && value >= maximum) errors.push(invalid(`less than ${formatGoNumber(maximum)}`));
    else if (value > maximum) errors.push(invalid(`less than or equal to ${formatGoNumber(maximum)}`));
  }
  if (minimum !== undefined) {
    if (schema.exclusiveMinimum && value <= minimum) errors.push(invalid(`greater than ${formatGoNumber(minimum)}`));
    else if (value < minimum) errors.push(invalid(`greater than or equal to ${formatGoNumber(minimum)}`));
  }
  return errors;
}

/** Returns an error for a number that the Go type of the schema's type and format cannot represent. */
function rangeErrors(value: number | bigint, schema: StructuralSchema, path: FieldPath): FieldError[] {
  const { type } = schema;
  const format = formatOf(schema);
  const isFine =
    type === "integer"
      ? isWithin(value, format === "int32" ? 32 : 64)
      : type !== "number" || format !== "float" || Number.isFinite(Math.fround(Number(value)));
  if (isFine) return [];
  const shown = format === undefined ? "(default format)" : `with format ${format}`;
  return [fieldError.invalid("<nil>", "", `Checked value must be of type ${type} ${shown} in ${path}`)];
}

function stringErrors(value: string, schema: StructuralSchema, path: FieldPath): FieldError[] {
  const { minLength, maxLength, pattern, format } = schema;
  const length = [...value].length;
  const errors: FieldError[] = [];
  // The API server reports only the first of the following three errors.
  if (maxLength !== undefined && length > maxLength) errors.push(fieldError.tooLong(path, maxLength));
  else if (minLength !== undefined && length < minLength)
    errors.push(fieldError.invalid(path, value, `${inBody(path)} should be at least ${minLength} chars long`));
  else if (pattern !== undefined && !matchesPattern(pattern, value))
    errors.push(fieldError.invalid(path, value, `${inBody(path)} should match '${pattern}'`));
  if (format !== undefined && !matchesFormat(format, value))
    errors.push(
      fieldError.typeInvalid(path, value, `${inBody(path)} must be of type ${format}: ${JSON.stringify(value)}`),
    );
  return errors;
}

function listErrors(value: readonly unknown[], schema: StructuralSchema, path: FieldPath): FieldError[] {
  const { items, minItems, maxItems } = schema;
  const errors: FieldError[] = [];
  if (maxItems !== undefined && value.length > maxItems) errors.push(fieldError.tooMany(path, value.length, maxItems));
  if (minItems !== undefined && value.length < minItems)
    errors.push(fieldError.invalid(path, value.length, `${inBody(path)} should have at least ${minItems} items`));
  if (items) errors.push(...value.flatMap((item, i) => errorsOf(item, items, path.index(i))));
  return errors;
}

/** Returns an error for each item that repeats another item of a set, or the keys of another item of a keyed list. */
function duplicateErrors(value: unknown, schema: StructuralSchema, path: FieldPath): FieldError[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    const inner = items ? value.flatMap((item, i) => duplicateErrors(item, items, path.index(i))) : [];
    return [...repeatedItems(value, schema, path), ...inner];
  }
  if (!isRecord(value)) return [];
  const { properties = {}, additionalProperties: values } = schema;
  return Object.entries(value).flatMap(([name, member]) => {
    const property = ownMember(properties, name);
    if (property) return duplicateErrors(member, property, path.child(name));
    return isRecord(values) ? duplicateErrors(member, values as StructuralSchema, path.key(name)) : [];
  });
}

/** Returns an error for the second occurrence of each item, as the server does. */
function repeatedItems(list: readonly unknown[], schema: StructuralSchema, path: FieldPath): FieldError[] {
  const type = schema["x-kubernetes-list-type"];
  if (type !== "map" && type !== "set") return [];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const seen: { readonly id: unknown; count: number }[] = [];
  const errors: FieldError[] = [];
  for (const [i, item] of list.entries()) {
    // For the API server, null has no keys.
    const fields = type === "map" ? (item ?? {}) : undefined;
    if (fields !== undefined && !isRecord(fields)) {
      errors.push(fieldError.invalid(path.index(i), item, "must be an object for an array of list-type map"));
      continue;
    }
    const id = fields
      ? Object.fromEntries(keys.flatMap((key) => (Object.hasOwn(fields, key) ? [[key, fields[key]]] : [])))
      : item;
    const same = seen.find((other) => jsonEqual(other.id, id));
    if (!same) seen.push({ id, count: 1 });
    else if (++same.count === 2) errors.push(fieldError.duplicate(path.index(i), id));
  }
  return errors;
}

function objectErrors(value: Record<string, unknown>, schema: StructuralSchema, path: FieldPath): FieldError[] {
  const { minProperties, maxProperties, properties = {}, required = [], additionalProperties } = schema;
  const count = Object.keys(value).length;
  const errors: FieldError[] = [];
  if (maxProperties !== undefined && count > maxProperties) errors.push(fieldError.tooMany(path, count, maxProperties));
  if (minProperties !== undefined && count < minProperties)
    errors.push(fieldError.invalid(path, count, `${inBody(path)} should have at least ${minProperties} properties`));
  for (const name of required)
    if (ownMember(value, name) === undefined) errors.push(fieldError.required(path.child(name)));
  for (const [name, member] of Object.entries(value)) {
    const known =
      ownMember(properties, name) ??
      (isRecord(additionalProperties) ? (additionalProperties as StructuralSchema) : undefined);
    if (known && member !== undefined) errors.push(...errorsOf(member, known, path.child(name)));
  }
  return errors;
}

function branchErrors(value: unknown, schema: StructuralSchema, path: FieldPath): FieldError[] {
  const failures = (branches: readonly StructuralSchema[]): FieldError[][] =>
    branches.map((branch) => errorsOf(value, branch, path));
  const broken = (text: string): FieldError =>
    fieldError.invalid(FieldPath.root, "", `"${path === FieldPath.root ? "" : path}" ${text}`);
  const errors: FieldError[] = [];
  if (schema.anyOf) {
    const found = failures(schema.anyOf);
    if (found.every((list) => list.length > 0))
      errors.push(broken("must validate at least one schema (anyOf)"), ...(found[0] ?? []));
  }
  if (schema.oneOf) {
    const found = failures(schema.oneOf);
    const valid = found.filter((list) => list.length === 0).length;
    if (valid === 0)
      errors.push(broken("must validate one and only one schema (oneOf). Found none valid"), ...(found[0] ?? []));
    if (valid > 1)
      errors.push(broken(`must validate one and only one schema (oneOf). Found ${valid} valid alternatives`));
  }
  if (schema.allOf) {
    const found = failures(schema.allOf);
    if (found.some((list) => list.length > 0))
      errors.push(
        broken(
          `must validate all the schemas (allOf)${found.every((list) => list.length > 0) ? ". None validated" : ""}`,
        ),
        ...found.flat(),
      );
  }
  if (schema.not && errorsOf(value, schema.not, path).length === 0)
    errors.push(broken("must not validate the schema (not)"));
  return errors;
}
