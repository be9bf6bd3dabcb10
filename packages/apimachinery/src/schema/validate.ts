import { type FieldError, fieldError } from "../error/field-error.ts";
import { FieldPath } from "../error/field-path.ts";
import { formatGoNumber } from "../value/go-format.ts";
import { isRecord, jsonEqual, ownMember } from "../value/json-value.ts";
import { matchesFormat } from "./formats.ts";
import type { StructuralSchema } from "./structural-schema.ts";

/**
 * Returns all violations of a schema, with the API server's messages. CEL rules are not evaluated.
 *
 * @see apiextensions-apiserver apiserver/validation ValidateCustomResource
 */
export function validateAgainstSchema(
  value: unknown,
  schema: StructuralSchema,
  path: FieldPath = FieldPath.root,
): FieldError[] {
  if (value === null && schema.nullable === true) return [];
  if (schema["x-kubernetes-preserve-unknown-fields"] === true && schema.type === undefined && value === null) return [];
  const wrongType = typeError(value, schema, path);
  if (wrongType) return [wrongType, ...enumErrors(value, schema, path)];
  return [
    ...enumErrors(value, schema, path),
    ...(typeof value === "number" || typeof value === "bigint" ? numberErrors(Number(value), schema, path) : []),
    ...(typeof value === "string" ? stringErrors(value, schema, path) : []),
    ...(Array.isArray(value) ? listErrors(value, schema, path) : []),
    ...(isRecord(value) ? objectErrors(value, schema, path) : []),
    ...branchErrors(value, schema, path),
  ];
}

function actualType(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value === "bigint" ? "integer" : typeof value;
}

function typeError(value: unknown, schema: StructuralSchema, path: FieldPath): FieldError | undefined {
  const wanted =
    schema["x-kubernetes-int-or-string"] === true ? ["integer", "string"] : schema.type ? [schema.type] : [];
  const actual = actualType(value);
  if (wanted.length === 0 || wanted.some((type) => type === actual || (type === "number" && actual === "integer")))
    return undefined;
  return fieldError.typeInvalid(path, actual, `${inBody(path)} must be of type ${wanted.join(",")}: "${actual}"`);
}

const inBody = (path: FieldPath): string => (path === FieldPath.root ? " in body" : `${path} in body`);

function enumErrors(value: unknown, schema: StructuralSchema, path: FieldPath): FieldError[] {
  if (!schema.enum || schema.enum.some((allowed) => jsonEqual(allowed, value))) return [];
  const supported = schema.enum.map((allowed) => (typeof allowed === "string" ? allowed : JSON.stringify(allowed)));
  return [fieldError.notSupported(path, value, supported)];
}

function numberErrors(value: number, schema: StructuralSchema, path: FieldPath): FieldError[] {
  const { minimum, maximum, multipleOf } = schema;
  const invalid = (text: string): FieldError => fieldError.invalid(path, value, `${inBody(path)} should be ${text}`);
  const errors: FieldError[] = [];
  if (maximum !== undefined) {
    if (schema.exclusiveMaximum && value >= maximum) errors.push(invalid(`less than ${formatGoNumber(maximum)}`));
    else if (value > maximum) errors.push(invalid(`less than or equal to ${formatGoNumber(maximum)}`));
  }
  if (minimum !== undefined) {
    if (schema.exclusiveMinimum && value <= minimum) errors.push(invalid(`greater than ${formatGoNumber(minimum)}`));
    else if (value < minimum) errors.push(invalid(`greater than or equal to ${formatGoNumber(minimum)}`));
  }
  if (multipleOf !== undefined && !Number.isInteger(value / multipleOf))
    errors.push(invalid(`a multiple of ${formatGoNumber(multipleOf)}`));
  return errors;
}

function stringErrors(value: string, schema: StructuralSchema, path: FieldPath): FieldError[] {
  const { minLength, maxLength, pattern, format } = schema;
  const length = [...value].length;
  const errors: FieldError[] = [];
  if (format !== undefined && !matchesFormat(format, value))
    errors.push(
      fieldError.typeInvalid(path, value, `${inBody(path)} must be of type ${format}: ${JSON.stringify(value)}`),
    );
  // The API server reports only the first of the following three errors.
  if (maxLength !== undefined && length > maxLength) errors.push(fieldError.tooLong(path, maxLength));
  else if (minLength !== undefined && length < minLength)
    errors.push(fieldError.invalid(path, value, `${inBody(path)} should be at least ${minLength} chars long`));
  else if (pattern !== undefined && !new RegExp(pattern, "u").test(value))
    errors.push(fieldError.invalid(path, value, `${inBody(path)} should match '${pattern}'`));
  return errors;
}

function listErrors(value: readonly unknown[], schema: StructuralSchema, path: FieldPath): FieldError[] {
  const { items, minItems, maxItems } = schema;
  const errors: FieldError[] = [];
  if (maxItems !== undefined && value.length > maxItems) errors.push(fieldError.tooMany(path, value.length, maxItems));
  if (minItems !== undefined && value.length < minItems)
    errors.push(fieldError.invalid(path, value.length, `${inBody(path)} should have at least ${minItems} items`));
  if (items) errors.push(...value.flatMap((item, i) => validateAgainstSchema(item, items, path.index(i))));
  return [...errors, ...duplicateErrors(value, schema, path)];
}

function duplicateErrors(value: readonly unknown[], schema: StructuralSchema, path: FieldPath): FieldError[] {
  const keys = schema["x-kubernetes-list-type"] === "map" ? schema["x-kubernetes-list-map-keys"] : undefined;
  if (!keys && schema["x-kubernetes-list-type"] !== "set") return [];
  const identity = (item: unknown): unknown =>
    keys && isRecord(item)
      ? Object.fromEntries(keys.flatMap((key) => (Object.hasOwn(item, key) ? [[key, item[key]]] : [])))
      : item;
  const seen: unknown[] = [];
  const errors: FieldError[] = [];
  for (const [i, item] of value.entries()) {
    const id = identity(item);
    if (seen.some((other) => jsonEqual(other, id))) errors.push(fieldError.duplicate(path.index(i), id));
    else seen.push(id);
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
    if (known && member !== undefined) errors.push(...validateAgainstSchema(member, known, path.child(name)));
  }
  return errors;
}

function branchErrors(value: unknown, schema: StructuralSchema, path: FieldPath): FieldError[] {
  const failures = (branches: readonly StructuralSchema[]): FieldError[][] =>
    branches.map((branch) => validateAgainstSchema(value, branch, path));
  const broken = (text: string): FieldError =>
    fieldError.invalid(FieldPath.root, "", `"${path === FieldPath.root ? "" : path}" ${text}`);
  const errors: FieldError[] = [];
  if (schema.anyOf) {
    const found = failures(schema.anyOf);
    if (found.every((list) => list.length > 0))
      errors.push(broken("must validate at least one schema (anyOf)"), ...fewest(found));
  }
  if (schema.oneOf) {
    const found = failures(schema.oneOf);
    const valid = found.filter((list) => list.length === 0).length;
    if (valid === 0)
      errors.push(broken("must validate one and only one schema (oneOf). Found none valid"), ...fewest(found));
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
  if (schema.not && validateAgainstSchema(value, schema.not, path).length === 0)
    errors.push(broken("must not validate the schema (not)"));
  return errors;
}

const fewest = (found: readonly FieldError[][]): FieldError[] => found.toSorted((a, b) => a.length - b.length)[0] ?? [];
