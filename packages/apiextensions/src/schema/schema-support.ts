import { type FieldError, type FieldPath, fieldError, ownMember } from "@kubewright/apimachinery";
import type { JsonSchema, ValidationRule } from "../definition/definition.ts";
import { followFieldPath, InvalidFieldPath } from "./rule-field-path.ts";

const types = ["array", "boolean", "integer", "number", "object", "string"];

/** JSON Schema keywords that Kubernetes does not support. */
const unsupported = ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"] as const;

/**
 * Returns an error for each unsupported part of a schema and each misplaced extension.
 *
 * @see apiextensions-apiserver pkg/apis/apiextensions/validation ValidateCustomResourceDefinitionOpenAPISchema
 */
export function schemaSupportErrors(schema: JsonSchema, path: FieldPath, defaultsForbidden = ""): FieldError[] {
  const errors = [...memberErrors(schema, path, defaultsForbidden), ...listErrors(schema, path)];
  const extra = schema.additionalProperties;
  const hasProperties = Object.keys(schema.properties ?? {}).length > 0;
  if (extra !== undefined && extra !== true && hasProperties)
    errors.push(
      fieldError.forbidden(
        path.child("additionalProperties"),
        "additionalProperties and properties are mutual exclusive",
      ),
    );
  if (typeof extra === "object")
    errors.push(...schemaSupportErrors(extra, path.child("additionalProperties"), defaultsForbidden));
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const isTopLevel = path.toString().endsWith("openAPIV3Schema") && /^(metadata|kind|apiVersion)$/.test(name);
    const reason = isTopLevel ? `in top-level ${name}` : defaultsForbidden;
    errors.push(...schemaSupportErrors(property, path.child("properties").key(name), reason));
  }
  if (schema.not) errors.push(...schemaSupportErrors(schema.not, path.child("not"), defaultsForbidden));
  for (const name of ["allOf", "oneOf", "anyOf"] as const)
    for (const [i, inner] of (schema[name] ?? []).entries())
      errors.push(...schemaSupportErrors(inner, path.child(name).index(i), defaultsForbidden));
  if (schema.items) errors.push(...schemaSupportErrors(schema.items, path.child("items"), defaultsForbidden));
  for (const [i, rule] of (schema["x-kubernetes-validations"] ?? []).entries())
    errors.push(...ruleErrors(schema, rule, path.child("x-kubernetes-validations").index(i)));
  return errors;
}

function memberErrors(schema: JsonSchema, path: FieldPath, defaultsForbidden: string): FieldError[] {
  const errors: FieldError[] = [];
  const { type } = schema;
  if (type && !types.includes(type)) errors.push(fieldError.notSupported(path.child("type"), type, types));
  if (schema.default !== undefined && defaultsForbidden !== "")
    errors.push(fieldError.forbidden(path.child("default"), `must not be set ${defaultsForbidden}`));
  for (const name of unsupported)
    if (Object.hasOwn(schema, name)) errors.push(fieldError.forbidden(path.child(name), `${name} is not supported`));
  if (type === "null")
    errors.push(fieldError.forbidden(path.child("type"), "type cannot be set to null, use nullable as an alternative"));
  if (Array.isArray(schema.items))
    errors.push(fieldError.forbidden(path.child("items"), "items must be a schema object and not an array"));
  if (schema.uniqueItems)
    errors.push(
      fieldError.forbidden(
        path.child("uniqueItems"),
        "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
      ),
    );
  if (schema["x-kubernetes-preserve-unknown-fields"] === false)
    errors.push(
      fieldError.invalid(path.child("x-kubernetes-preserve-unknown-fields"), false, "must be true or undefined"),
    );
  const mapType = schema["x-kubernetes-map-type"];
  if (mapType !== undefined) {
    const text = "must be object if x-kubernetes-map-type is specified";
    if (!type) errors.push(fieldError.required(path.child("type"), text));
    else if (type !== "object") errors.push(fieldError.invalid(path.child("type"), type, text));
    if (mapType !== "atomic" && mapType !== "granular")
      errors.push(fieldError.notSupported(path.child("x-kubernetes-map-type"), mapType, ["atomic", "granular"]));
  }
  return errors;
}

function listErrors(schema: JsonSchema, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const listType = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const { type, items } = schema;
  const at = path.child("x-kubernetes-list-type");
  if (listType !== undefined && type !== "array") {
    const text = "must be array if x-kubernetes-list-type is specified";
    errors.push(
      type ? fieldError.invalid(path.child("type"), type, text) : fieldError.required(path.child("type"), text),
    );
  } else if (listType === "set" && items) {
    const text = "must be atomic as item of a list with x-kubernetes-list-type=set";
    const [inner, name] =
      items.type === "array"
        ? ([items["x-kubernetes-list-type"] ?? "atomic", "x-kubernetes-list-type"] as const)
        : items.type === "object"
          ? ([items["x-kubernetes-map-type"] ?? null, "x-kubernetes-map-type"] as const)
          : (["atomic", ""] as const);
    if (inner !== "atomic") errors.push(fieldError.invalid(path.child("items", name), inner, text));
  }
  if (listType !== undefined && !["atomic", "set", "map"].includes(listType))
    errors.push(fieldError.notSupported(at, listType, ["atomic", "set", "map"]));
  if (keys.length > 0 && listType !== "map") {
    const text = "must be map if x-kubernetes-list-map-keys is non-empty";
    errors.push(listType === undefined ? fieldError.required(at, text) : fieldError.invalid(at, listType, text));
  }
  if (listType === "map") errors.push(...keyErrors(schema, keys, path));
  if ((listType === "map" || listType === "set") && items?.nullable)
    errors.push(
      fieldError.forbidden(
        path.child("items", "nullable"),
        `cannot be nullable when x-kubernetes-list-type is ${listType}`,
      ),
    );
  return errors;
}

function keyErrors({ items }: JsonSchema, keys: readonly string[], path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const keysPath = path.child("x-kubernetes-list-map-keys");
  if (keys.length === 0)
    errors.push(fieldError.required(keysPath, "must not be empty if x-kubernetes-list-type is map"));
  if (!items)
    return [...errors, fieldError.required(path.child("items"), "must have a schema if x-kubernetes-list-type is map")];
  if (items.type !== "object")
    return [
      ...errors,
      fieldError.invalid(
        path.child("items", "type"),
        items.type ?? "",
        "must be object if parent array's x-kubernetes-list-type is map",
      ),
    ];
  const later: FieldError[] = [];
  for (const [i, key] of keys.entries()) {
    const property = ownMember(items.properties, key);
    const at = path.child("items", "properties").key(key);
    if (!property) {
      errors.push(fieldError.invalid(keysPath, keys, "entries must all be names of item properties"));
      continue;
    }
    if (property.type === "array" || property.type === "object")
      errors.push(
        fieldError.invalid(
          at.child("type"),
          items.type,
          "must be a scalar type if parent array's x-kubernetes-list-type is map",
        ),
      );
    if (keys.indexOf(key) < i) errors.push(fieldError.invalid(keysPath, keys, "must not contain duplicate entries"));
    if (!items.required?.includes(key) && property.default === undefined)
      later.push(
        fieldError.required(
          at.child("default"),
          "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
        ),
      );
    if (property.nullable)
      later.push(
        fieldError.forbidden(
          at.child("nullable"),
          "this property is in x-kubernetes-list-map-keys, so it cannot be nullable",
        ),
      );
  }
  return [...errors, ...later];
}

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/** Validates the members of a rule, but does not compile its expression. */
function ruleErrors(schema: JsonSchema, validation: ValidationRule, path: FieldPath): FieldError[] {
  const { rule, message = "", messageExpression = "", reason, fieldPath = "" } = validation;
  const errors: FieldError[] = [];
  if ((rule ?? "").trim() === "") errors.push(fieldError.required(path.child("rule"), "rule is not specified"));
  else if (message !== "" && message.trim() === "")
    errors.push(fieldError.invalid(path.child("message"), message, "must be non-empty if specified"));
  else if (/[\r\n]/.test(message.trim()))
    errors.push(fieldError.invalid(path.child("message"), message, "must not contain line breaks"));
  else if (/[\r\n]/.test(rule.trim()) && message.trim() === "")
    errors.push(fieldError.required(path.child("message"), "message must be specified if rule contains line breaks"));
  if (messageExpression !== "" && messageExpression.trim() === "")
    errors.push(
      fieldError.required(path.child("messageExpression"), "messageExpression must be non-empty if specified"),
    );
  if (reason !== undefined && !reasons.includes(reason))
    errors.push(fieldError.notSupported(path.child("reason"), reason, reasons));
  const at = path.child("fieldPath");
  if (fieldPath !== "" && fieldPath.trim() === "")
    errors.push(fieldError.invalid(at, fieldPath, "must be non-empty if specified"));
  if (/[\r\n]/.test(fieldPath)) errors.push(fieldError.invalid(at, fieldPath, "must not contain line breaks"));
  if (fieldPath !== "" && !isFieldPath(fieldPath, schema))
    errors.push(fieldError.invalid(at, fieldPath, "must be a valid path"));
  return errors;
}

function isFieldPath(path: string, schema: JsonSchema): boolean {
  try {
    followFieldPath(path, schema);
    return true;
  } catch (error) {
    if (error instanceof InvalidFieldPath) return false;
    throw error;
  }
}
