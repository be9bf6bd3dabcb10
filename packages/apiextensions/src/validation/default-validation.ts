import { type FieldError, type FieldPath, fieldError, isRecord, jsonEqual } from "@kubewright/apimachinery";
import { pruneCustom } from "@kubewright/codec";
import type { JsonSchema } from "../definition/definition.ts";
import { RuleValidator } from "../rules/rule-evaluation.ts";
import { typeSchemaOf } from "../schema/type-schema-of.ts";
import { validateValue } from "../values/value-validation.ts";

/**
 * Validates the defaults in a schema. Returns an error for each default that is not valid or would be pruned.
 *
 * @see apiextensions-apiserver pkg/apiserver/schema/defaulting ValidateDefaults
 */
export function defaultErrors(schema: JsonSchema, path: FieldPath, isRoot = true): FieldError[] {
  const errors = schema.default === undefined ? [] : errorsOf(schema.default, schema, path.child("default"), isRoot);
  if (schema.items) errors.push(...defaultErrors(schema.items, path.child("items"), false));
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    errors.push(...defaultErrors(property, path.child("properties").key(name), false));
  if (typeof schema.additionalProperties === "object")
    errors.push(...defaultErrors(schema.additionalProperties, path.child("additionalProperties"), false));
  return errors;
}

function errorsOf(value: unknown, schema: JsonSchema, path: FieldPath, isRoot: boolean): FieldError[] {
  const type = typeSchemaOf(schema);
  if (isRecord(value) && type.type === "object" && !jsonEqual(pruneCustom(value, type, [], true).value, value))
    return [fieldError.invalid(path, value, "must not have unknown fields")];
  const errors = validateValue(value, schema, "").map((error) => ({
    ...error,
    field: error.field === "<nil>" ? path.toString() : path.child(error.field).toString(),
  }));
  return errors.length > 0 ? errors : ruleErrors(value, schema, path, isRoot);
}

/** Evaluates a schema's rules for a default, which must be valid both as an unchanged value and as a new one. */
function ruleErrors(value: unknown, schema: JsonSchema, path: FieldPath, isRoot: boolean): FieldError[] {
  const rules = RuleValidator.of(schema, isRoot || (schema["x-kubernetes-embedded-resource"] ?? false));
  const { errors = [] } = rules?.validate(value, value, path, false) ?? {};
  return errors.length > 0 ? errors : (rules?.validate(value, undefined, path).errors ?? []);
}
