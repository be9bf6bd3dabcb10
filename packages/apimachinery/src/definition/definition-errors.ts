import { type FieldError, fieldError } from "../error/field-error.ts";
import { FieldPath } from "../error/field-path.ts";
import type { StructuralSchema } from "../schema/structural-schema.ts";
import { ownMember } from "../value/json-value.ts";
import { isDns1035Label, isDns1123Subdomain, isLabelValue, validateQualifiedName } from "../value/names.ts";
import type { PrinterColumn, ScaleSubresource } from "./custom-resource-definition.ts";
import { deprecationErrors } from "./deprecation.ts";
import type { KindDefinition } from "./kind-definition.ts";

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];
const maxSelectableFields = 8;
const maxAnnotationBytes = 256 * 1_024;
const approval = "api-approved.kubernetes.io";

type Definition = KindDefinition<unknown, unknown>;

/**
 * Returns the errors that the API server would report for a definition, except the errors in its schemas. The errors contain the
 * definition's field names, not the CRD's.
 *
 * @see apiextensions-apiserver pkg/apis/apiextensions/validation ValidateCustomResourceDefinition
 */
export function definitionErrors(definition: Definition, plural: string, schema: StructuralSchema): FieldError[] {
  const { scale, columns = [] } = definition;
  return [
    ...nameErrors(definition, plural),
    ...metadataErrors(definition),
    ...deprecationErrors(definition),
    ...columns.flatMap((column, i) => columnErrors(column, FieldPath.of("columns").index(i))),
    ...(scale ? scaleErrors(scale) : []),
    ...selectableErrors(definition, schema),
  ];
}

function nameErrors(definition: Definition, plural: string): FieldError[] {
  const { group, version, kind, scope, singular, shortNames = [], categories = [] } = definition;
  const names = FieldPath.root;
  const label = (at: FieldPath, name: string): FieldError[] =>
    name ? isDns1035Label(name).map((text) => fieldError.invalid(at, name, text)) : [fieldError.required(at)];
  const mixed = "may have mixed case, but should otherwise match: ";
  return [
    ...groupErrors(group),
    ...label(names.child("version"), version),
    ...(kind
      ? isDns1035Label(kind.toLowerCase()).map((text) => fieldError.invalid("kind", kind, mixed + text))
      : [fieldError.required("kind")]),
    ...(kind || definition.plural !== undefined ? label(names.child("plural"), plural) : []),
    ...(singular === undefined ? [] : label(names.child("singular"), singular)),
    ...shortNames.flatMap((name, i) => label(names.child("shortNames").index(i), name)),
    ...categories.flatMap((name, i) => label(names.child("categories").index(i), name)),
    ...(scope === "Cluster" || scope === "Namespaced"
      ? []
      : [fieldError.notSupported("scope", scope, ["Cluster", "Namespaced"])]),
  ];
}

function groupErrors(group: string): FieldError[] {
  if (!group) return [fieldError.required("group", "set it to a domain that you own, such as shop.example.com")];
  const wrong = isDns1123Subdomain(group).map((text) => fieldError.invalid("group", group, text));
  if (wrong.length > 0 || group.includes(".")) return wrong;
  return [fieldError.invalid("group", group, `should be a domain with at least one dot, such as ${group}.example.com`)];
}

function metadataErrors({ group, labels = {}, annotations = {} }: Definition): FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(labels)) {
    errors.push(...validateQualifiedName(key).map((text) => fieldError.invalid("labels", key, text)));
    errors.push(...isLabelValue(value).map((text) => fieldError.invalid(`labels[${key}]`, value, text)));
  }
  for (const key of Object.keys(annotations))
    errors.push(
      ...validateQualifiedName(key.toLowerCase()).map((text) => fieldError.invalid("annotations", key, text)),
    );
  const bytes = Object.entries(annotations).reduce((sum, [key, value]) => sum + Buffer.byteLength(key + value), 0);
  if (bytes > maxAnnotationBytes) errors.push(fieldError.tooLong("annotations", maxAnnotationBytes));
  return [...errors, ...approvalErrors(group, ownMember(annotations, approval))];
}

/** Checks the approval annotation, which is required for API groups of the Kubernetes community. */
function approvalErrors(group: string, value: string | undefined): FieldError[] {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(group)) return [];
  if (value && (value.startsWith("unapproved") || URL.canParse(value))) return [];
  const at = `annotations[${approval}]`;
  const text = `protected groups must have approval annotation "${approval}" with either a URL or a reason starting with "unapproved"; or use a different group`;
  return [value ? fieldError.invalid(at, value, text) : fieldError.required(at, text)];
}

function columnErrors({ name, type, format, jsonPath, priority }: PrinterColumn, at: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (!name) errors.push(fieldError.required(at.child("name")));
  if (!columnTypes.includes(type)) errors.push(fieldError.notSupported(at.child("type"), type, columnTypes));
  if (format && !columnFormats.includes(format))
    errors.push(fieldError.notSupported(at.child("format"), format, columnFormats));
  if (priority !== undefined && !Number.isInteger(priority))
    errors.push(fieldError.invalid(at.child("priority"), priority, "must be an integer"));
  return [...errors, ...pathErrors(jsonPath, at.child("jsonPath"))];
}

/** Checks a path such as `.spec.color`. The braces of kubectl and the root `$` are not allowed in definitions. */
function pathErrors(path: string, at: FieldPath, roots: readonly string[] = []): FieldError[] {
  if (!path) return [fieldError.required(at, "a path such as .status.phase")];
  const meant = `.${path.replace(/^\{?\$?\.?|\}$/g, "")}`;
  if (!path.startsWith("."))
    return [fieldError.invalid(at, path, `must be a simple json path starting with ., such as ${meant}`)];
  if (roots.length === 0 || roots.some((root) => path.startsWith(`.${root}.`))) return [];
  const under = roots.map((root) => `.${root}`).join(" or ");
  return [fieldError.invalid(at, path, `should be a json path under ${under}`)];
}

function scaleErrors(scale: ScaleSubresource): FieldError[] {
  const at = FieldPath.of("scale");
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
  return [
    ...pathErrors(specReplicasPath, at.child("specReplicasPath"), ["spec"]),
    ...pathErrors(statusReplicasPath, at.child("statusReplicasPath"), ["status"]),
    ...(labelSelectorPath === undefined || labelSelectorPath === ""
      ? []
      : pathErrors(labelSelectorPath, at.child("labelSelectorPath"), ["spec", "status"])),
  ];
}

function selectableErrors({ selectableFields = [] }: Definition, schema: StructuralSchema): FieldError[] {
  const at = FieldPath.of("selectableFields");
  const errors = selectableFields.flatMap((path, i) => {
    const wrong = pathErrors(path, at.index(i));
    if (wrong.length > 0) return wrong;
    if (selectableFields.indexOf(path) < i) return [fieldError.duplicate(at.index(i), path)];
    if (path.startsWith(".metadata"))
      return [fieldError.invalid(at.index(i), path, "must not point to fields in metadata")];
    const type = typeAt(path, schema);
    if (type === undefined)
      return [fieldError.invalid(at.index(i), path, "is an invalid path: does not refer to a valid field")];
    return ["string", "boolean", "integer"].includes(type)
      ? []
      : [
          fieldError.invalid(
            at.index(i),
            path,
            `must point to a field of type string, boolean or integer, not ${type}`,
          ),
        ];
  });
  const many = selectableFields.length > maxSelectableFields;
  return many ? [...errors, fieldError.tooMany(at, selectableFields.length, maxSelectableFields)] : errors;
}

/** Returns the type of the field at a path, or `undefined` if the field does not exist. */
function typeAt(path: string, schema: StructuralSchema): string | undefined {
  let here: StructuralSchema | undefined = schema;
  for (const name of path.slice(1).split(".")) here = here && memberOf(here, name);
  return here && (here.type ?? "any");
}

function memberOf({ properties, additionalProperties }: StructuralSchema, name: string): StructuralSchema | undefined {
  if (properties) return ownMember(properties, name);
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}
