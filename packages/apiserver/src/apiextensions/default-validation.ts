import { type FieldError, type FieldPath, fieldError, isRecord, jsonEqual } from "@kubewright/apimachinery";
import { pruneCustom } from "../codec/prune.ts";
import type { JsonSchema } from "./definition.ts";
import { typeSchemaOf } from "./type-schema-of.ts";
import { validateValue } from "./value-validation.ts";

/**
 * Defaults that would be pruned or are not valid themselves.
 *
 * @see apiextensions-apiserver pkg/apiserver/schema/defaulting ValidateDefaults
 */
export function defaultErrors(schema: JsonSchema, path: FieldPath): FieldError[] {
  const errors = schema.default === undefined ? [] : errorsOf(schema.default, schema, path.child("default"));
  if (schema.items) errors.push(...defaultErrors(schema.items, path.child("items")));
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    errors.push(...defaultErrors(property, path.child("properties").key(name)));
  if (typeof schema.additionalProperties === "object")
    errors.push(...defaultErrors(schema.additionalProperties, path.child("additionalProperties")));
  return errors;
}

function errorsOf(value: unknown, schema: JsonSchema, path: FieldPath): FieldError[] {
  const type = typeSchemaOf(schema);
  if (isRecord(value) && type.type === "object" && !jsonEqual(pruneCustom(value, type).value, value))
    return [fieldError.invalid(path, value, "must not have unknown fields")];
  return validateValue(value, schema, "").map((error) => ({
    ...error,
    field: error.field === "<nil>" ? path.toString() : path.child(error.field).toString(),
  }));
}
