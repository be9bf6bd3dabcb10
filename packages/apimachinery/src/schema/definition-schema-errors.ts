import { type FieldError, fieldError, fieldErrorBody } from "../error/field-error.ts";
import { FieldPath } from "../error/field-path.ts";
import { isRecord, jsonEqual, ownMember } from "../value/json-value.ts";
import { pruneToSchema } from "./prune.ts";
import { ruleErrors } from "./rule-errors.ts";
import type { StructuralSchema } from "./structural-schema.ts";
import { validateAgainstSchema } from "./validate.ts";

/**
 * Returns those errors that the API server would report for a structural schema and that can be detected locally:
 * defaults that do not match their own schema, list map keys that are not fields of the items, patterns that RE2 does
 * not support, malformed CEL rules, and keywords that are not allowed in `allOf`, `anyOf`, `oneOf` or `not`. Does not
 * compile CEL expressions.
 *
 * @see apiextensions-apiserver pkg/apis/apiextensions/validation ValidateCustomResourceDefinitionOpenAPISchema
 */
export function definitionSchemaErrors(schema: StructuralSchema, path: FieldPath): FieldError[] {
  const { properties = {}, items, additionalProperties } = schema;
  const rules = schema["x-kubernetes-validations"] ?? [];
  const errors = [
    ...defaultErrors(schema, path),
    ...listErrors(schema, path),
    ...patternErrors(schema, path),
    ...ruleErrors(rules, schema, path.child("x-kubernetes-validations")),
  ];
  for (const name of ["allOf", "anyOf", "oneOf"] as const)
    for (const [i, branch] of (schema[name] ?? []).entries())
      if (!isIntOrString(schema)) errors.push(...branchErrors(branch, path.child(name).index(i)));
  if (schema.not) errors.push(...branchErrors(schema.not, path.child("not")));
  for (const [name, property] of Object.entries(properties))
    errors.push(...definitionSchemaErrors(property, path.child(name)));
  if (items) errors.push(...definitionSchemaErrors(items, FieldPath.of(`${path}[]`)));
  if (isRecord(additionalProperties))
    errors.push(...definitionSchemaErrors(additionalProperties as StructuralSchema, path.child("*")));
  return errors;
}

const isIntOrString = (schema: StructuralSchema): boolean => schema["x-kubernetes-int-or-string"] === true;

function defaultErrors(schema: StructuralSchema, path: FieldPath): FieldError[] {
  const { default: value } = schema;
  if (value === undefined) return [];
  const at = path.child("default");
  if (!jsonEqual(pruneToSchema(value, schema), value))
    return [fieldError.invalid(at, value, "must not have unknown fields")];
  return validateAgainstSchema(value, schema).map((error) =>
    fieldError.invalid(error.field === "<nil>" ? at : at.child(error.field), value, fieldErrorBody(error)),
  );
}

function listErrors(schema: StructuralSchema, path: FieldPath): FieldError[] {
  const { type, items = {} } = schema;
  const listType = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const at = path.child("x-kubernetes-list-map-keys");
  if (listType !== undefined && type !== "array")
    return [
      fieldError.invalid(
        path.child("x-kubernetes-list-type"),
        listType,
        `must only be set for lists, not for type ${type ?? "any"}`,
      ),
    ];
  if (listType !== "map")
    return keys.length > 0 ? [fieldError.invalid(at, keys, "must only be set if x-kubernetes-list-type is map")] : [];
  if (keys.length === 0) return [fieldError.required(at, "must not be empty if x-kubernetes-list-type is map")];
  return keys.flatMap((key) => {
    const property = ownMember(items.properties, key);
    if (!property) return [fieldError.invalid(at, key, "entries must all be names of item properties")];
    return items.required?.includes(key) || property.default !== undefined
      ? []
      : [fieldError.invalid(at, key, "this property must have a default or be required")];
  });
}

/** Syntax that JavaScript's regular expressions support but RE2 does not. */
const unknownToRe2 = /\(\?<?[=!]|\\[1-9]|\\k</;

function patternErrors({ pattern }: StructuralSchema, path: FieldPath): FieldError[] {
  if (pattern === undefined) return [];
  const at = path.child("pattern");
  const bare = pattern.replace(/\\[^1-9k]/gs, "").replace(/\[[^\]]*\]/g, "");
  const found = unknownToRe2.exec(bare)?.[0];
  if (found === undefined) return [];
  return [fieldError.invalid(at, pattern, `the regular expressions of the API server (RE2) do not support ${found}`)];
}

/** Keywords that are not allowed in branches, because these may contain only value validations. */
const outsideOnly = [
  "type",
  "additionalProperties",
  "default",
  "title",
  "description",
  "nullable",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-embedded-resource",
  "x-kubernetes-int-or-string",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-list-type",
  "x-kubernetes-map-type",
  "x-kubernetes-validations",
] as const;

function branchErrors(branch: StructuralSchema, path: FieldPath): FieldError[] {
  const errors = outsideOnly
    .filter((name) => branch[name] !== undefined && branch[name] !== "" && branch[name] !== false)
    .map((name) => fieldError.forbidden(path.child(name), "is not allowed within allOf, anyOf, oneOf and not"));
  for (const [name, property] of Object.entries(branch.properties ?? {}))
    errors.push(...branchErrors(property, path.child(name)));
  if (branch.items) errors.push(...branchErrors(branch.items, FieldPath.of(`${path}[]`)));
  return [...errors, ...patternErrors(branch, path)];
}
