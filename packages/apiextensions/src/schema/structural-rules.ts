import {
  type FieldError,
  type FieldPath,
  fieldError,
  fieldErrorMessage,
  jsonEqual,
  ownMember,
} from "@kubewright/apimachinery";
import { compilePattern, isBadPattern } from "@kubewright/cel";
import type { JsonSchema } from "../definition/definition.ts";

type Level = "root" | "item" | "field";

/**
 * Checks that a schema is structural, and returns the violations. Outside `allOf`, `anyOf`, `oneOf` and `not`, every schema must have a
 * type; inside them, only value validations are permitted.
 *
 * @see apiextensions-apiserver pkg/apiserver/schema ValidateStructural
 */
export function structuralErrors(schema: JsonSchema, path: FieldPath): FieldError[] {
  const errors = [...invariantErrors(schema, "root", path), ...completenessErrors(schema, path)];
  return errors.sort((a, b) => (fieldErrorMessage(a) < fieldErrorMessage(b) ? -1 : 1));
}

const emptyType: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

function invariantErrors(schema: JsonSchema, level: Level, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const { type, items, properties = {}, additionalProperties: extra } = schema;
  const isEmbedded = schema["x-kubernetes-embedded-resource"] ?? false;
  const preserves = schema["x-kubernetes-preserve-unknown-fields"] ?? false;
  const isIntOrString = schema["x-kubernetes-int-or-string"] ?? false;
  if (type === "array" && !items) errors.push(fieldError.required(path.child("items"), "must be specified"));
  if (items) errors.push(...invariantErrors(items, "item", path.child("items")));
  for (const [name, property] of Object.entries(properties))
    errors.push(...invariantErrors(property, "field", path.child("properties").key(name)));
  if (extra !== undefined) {
    const at = path.child("additionalProperties");
    if (level === "root") errors.push(fieldError.forbidden(at, "must not be used at the root"));
    if (typeof extra === "object") errors.push(...invariantErrors(extra, "field", at));
    if (isEmbedded) errors.push(fieldError.forbidden(at, "must not be used if x-kubernetes-embedded-resource is set"));
  }
  if (isIntOrString && preserves)
    errors.push(
      fieldError.invalid(
        path.child("x-kubernetes-preserve-unknown-fields"),
        true,
        "must be false if x-kubernetes-int-or-string is true",
      ),
    );
  if (isIntOrString && isEmbedded)
    errors.push(
      fieldError.invalid(
        path.child("x-kubernetes-embedded-resource"),
        true,
        "must be false if x-kubernetes-int-or-string is true",
      ),
    );
  errors.push(
    ...valueErrors(schema, path, isIntOrStringPattern(schema.anyOf), isIntOrStringPattern(schema.allOf?.[0]?.anyOf)),
  );
  const typePath = path.child("type");
  if (isEmbedded && type !== "object") {
    const text = "must be object if x-kubernetes-embedded-resource is true";
    errors.push(type ? fieldError.invalid(typePath, type, text) : fieldError.required(typePath, text));
  } else if (!type && !isIntOrString && !preserves) errors.push(fieldError.required(typePath, emptyType[level]));
  if (level === "root" && type && type !== "object")
    errors.push(fieldError.invalid(typePath, type, "must be object at the root"));
  errors.push(...resourceMemberErrors(schema, level, path));
  if (isEmbedded && !preserves && Object.keys(properties).length === 0)
    errors.push(
      fieldError.required(
        path.child("properties"),
        "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
      ),
    );
  return errors;
}

/**
 * Returns the errors in a resource schema's declarations of `apiVersion`, `kind` and `metadata`, for which only few restrictions are
 * permitted.
 */
function resourceMemberErrors(schema: JsonSchema, level: Level, path: FieldPath): FieldError[] {
  const isResource = level === "root" || (schema["x-kubernetes-embedded-resource"] ?? false);
  if (!isResource) return [];
  const errors: FieldError[] = [];
  const at = (name: string): FieldPath => path.child("properties").key(name);
  for (const name of ["kind", "apiVersion"]) {
    const property = ownMember(schema.properties, name);
    if (property && property.type !== "string")
      errors.push(fieldError.invalid(at(name).child("type"), property.type ?? "", "must be string"));
  }
  const metadata = schema.properties?.metadata;
  if (!metadata) return errors;
  if (metadata.type !== "object")
    errors.push(fieldError.invalid(at("metadata").child("type"), metadata.type ?? "", "must be object"));
  const { type: _type, default: _default, properties, description: _description, ...others } = metadata;
  const isPlain =
    Object.keys(others).length === 0 &&
    Object.keys(properties ?? {}).every((name) => name === "name" || name === "generateName");
  if (level === "root" && !isPlain)
    errors.push(
      fieldError.forbidden(
        at("metadata"),
        "must not specify anything other than name and generateName, but metadata is implicitly specified",
      ),
    );
  return errors;
}

const isIntOrStringPattern = (schemas: readonly JsonSchema[] | undefined): boolean =>
  jsonEqual(schemas, [{ type: "integer" }, { type: "string" }]);

function valueErrors(schema: JsonSchema, path: FieldPath, skipAnyOf: boolean, skipFirstAllOf: boolean): FieldError[] {
  const errors: FieldError[] = [];
  if (!skipAnyOf)
    for (const [i, inner] of (schema.anyOf ?? []).entries())
      errors.push(...nestedErrors(inner, path.child("anyOf").index(i), false));
  for (const [i, inner] of (schema.allOf ?? []).entries())
    errors.push(...nestedErrors(inner, path.child("allOf").index(i), skipFirstAllOf && i === 0));
  for (const [i, inner] of (schema.oneOf ?? []).entries())
    errors.push(...nestedErrors(inner, path.child("oneOf").index(i), false));
  if (schema.not) errors.push(...nestedErrors(schema.not, path.child("not"), false));
  const pattern = schema.pattern ? compilePattern(schema.pattern) : undefined;
  if (pattern && isBadPattern(pattern))
    errors.push(
      fieldError.invalid(
        path.child("pattern"),
        schema.pattern,
        `must be a valid regular expression, but isn't: ${pattern.error}`,
      ),
    );
  return errors;
}

const forbiddenInside = [
  ["type", "must be empty to be structural"],
  ["additionalProperties", "must be undefined to be structural"],
  ["default", "must be undefined to be structural"],
  ["title", "must be empty to be structural"],
  ["description", "must be empty to be structural"],
  ["nullable", "must be false to be structural"],
  ["x-kubernetes-preserve-unknown-fields", "must be false to be structural"],
  ["x-kubernetes-embedded-resource", "must be false to be structural"],
  ["x-kubernetes-int-or-string", "must be false to be structural"],
  ["x-kubernetes-list-map-keys", "must be empty to be structural"],
  ["x-kubernetes-list-type", "must be undefined to be structural"],
  ["x-kubernetes-map-type", "must be undefined to be structural"],
  ["x-kubernetes-validations", "must be empty to be structural"],
] as const;

/** Returns the errors in a schema inside a combination (such as `allOf`), where only value validations are permitted. */
function nestedErrors(schema: JsonSchema, path: FieldPath, skipAnyOf: boolean): FieldError[] {
  const errors = valueErrors(schema, path, skipAnyOf, false);
  if (schema.items) errors.push(...nestedErrors(schema.items, path.child("items"), false));
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    errors.push(...nestedErrors(property, path.child("properties").key(name), false));
  for (const [name, text] of forbiddenInside) {
    const value = schema[name];
    if (value !== undefined && value !== "" && value !== false)
      errors.push(fieldError.forbidden(path.child(name), text));
  }
  if (schema.properties?.metadata)
    errors.push(
      fieldError.forbidden(path.child("properties").key("metadata"), "must not be specified in a nested context"),
    );
  return errors;
}

/** Returns an error for each member that occurs in a combination but is not specified outside the combination. */
function completenessErrors(schema: JsonSchema, path: FieldPath): FieldError[] {
  const combinations: [JsonSchema, FieldPath][] = [
    ...(["allOf", "anyOf", "oneOf"] as const).flatMap((name) =>
      (schema[name] ?? []).map((inner, i): [JsonSchema, FieldPath] => [inner, path.child(name).index(i)]),
    ),
    ...(schema.not ? [[schema.not, path.child("not")] satisfies [JsonSchema, FieldPath]] : []),
  ];
  return combinations.flatMap(([inner, at]) => missingOutside(inner, at, schema, path));
}

function missingOutside(inner: JsonSchema, at: FieldPath, outer: JsonSchema, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (inner.items) {
    if (!outer.items)
      errors.push(fieldError.required(path.child("items"), `because it is defined in ${at.child("items")}`));
    else errors.push(...missingOutside(inner.items, at.child("items"), outer.items, path.child("items")));
  }
  for (const [name, property] of Object.entries(inner.properties ?? {})) {
    const [there, here] = [at.child("properties").key(name), path.child("properties").key(name)];
    const specified = ownMember(outer.properties, name);
    if (specified) errors.push(...missingOutside(property, there, specified, here));
    else errors.push(fieldError.required(here, `because it is defined in ${there}`));
  }
  for (const name of ["allOf", "anyOf", "oneOf"] as const)
    for (const [i, deeper] of (inner[name] ?? []).entries())
      errors.push(...missingOutside(deeper, at.child(name).index(i), outer, path));
  if (inner.not) errors.push(...missingOutside(inner.not, at.child("not"), outer, path));
  return errors;
}
