import { type FieldError, type FieldPath, fieldError } from "@kubewright/apimachinery";
import type { DefinitionVersion, JsonSchema, PrinterColumn } from "../definition/definition.ts";
import { followFieldPath, InvalidFieldPath } from "../schema/rule-field-path.ts";

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];
const maxSelectableFields = 8;
const simplePath = "must be a simple json path starting with .";

/** Validates a deprecated version's warning. */
export function deprecationErrors(
  { deprecated, deprecationWarning: text }: DefinitionVersion,
  path: FieldPath,
): FieldError[] {
  if (text === undefined) return [];
  if (!deprecated) return [fieldError.invalid(path, text, "can only be set for deprecated versions")];
  const errors: FieldError[] = [];
  if (Buffer.byteLength(text) > 256) errors.push(fieldError.invalid(path, text, "must be <= 256 characters long"));
  if (text === "") errors.push(fieldError.invalid(path, text, "must not be an empty string"));
  return errors;
}

/** Validates the paths of the scale subresource. */
export function scaleErrors({ subresources }: DefinitionVersion, path: FieldPath): FieldError[] {
  const scale = subresources?.scale;
  if (!scale) return [];
  const check = (name: string, value: string | undefined, roots: readonly string[]): FieldError[] => {
    const at = path.child(`scale.${name}`);
    if (!value) return [fieldError.required(at)];
    if (!value.startsWith(".")) return [fieldError.invalid(at, value, simplePath)];
    if (roots.some((root) => value.startsWith(`.${root}.`))) return [];
    return [fieldError.invalid(at, value, `should be a json path under ${roots.map((r) => `.${r}`).join(" or ")}`)];
  };
  return [
    ...check("specReplicasPath", scale.specReplicasPath, ["spec"]),
    ...check("statusReplicasPath", scale.statusReplicasPath, ["status"]),
    ...(scale.labelSelectorPath ? check("labelSelectorPath", scale.labelSelectorPath, ["spec", "status"]) : []),
  ];
}

/** Validates the printer columns of a version. */
export function columnsErrors({ additionalPrinterColumns = [] }: DefinitionVersion, path: FieldPath): FieldError[] {
  return additionalPrinterColumns.flatMap((column, i) => columnErrors(column, path.index(i)));
}

function columnErrors({ name, type, format, jsonPath }: PrinterColumn, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (!name) errors.push(fieldError.required(path.child("name")));
  const oneOf = `must be one of ${columnTypes.join(",")}`;
  if (!type) errors.push(fieldError.required(path.child("type"), oneOf));
  else if (!columnTypes.includes(type)) errors.push(fieldError.invalid(path.child("type"), type, oneOf));
  if (format && !columnFormats.includes(format))
    errors.push(fieldError.invalid(path.child("format"), format, `must be one of ${columnFormats.join(",")}`));
  if (!jsonPath) errors.push(fieldError.required(path.child("JSONPath")));
  else if (!jsonPath.startsWith(".")) errors.push(fieldError.invalid(path.child("JSONPath"), jsonPath, simplePath));
  return errors;
}

/** Validates a version's selectable fields. */
export function selectableFieldErrors(
  { selectableFields = [], schema }: DefinitionVersion,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [i, { jsonPath }] of selectableFields.entries()) {
    const at = path.index(i).child("jsonPath");
    if (!jsonPath) {
      errors.push(fieldError.required(at));
      continue;
    }
    const target = targetOf(jsonPath, schema?.openAPIV3Schema ?? {});
    if (typeof target === "string") {
      errors.push(fieldError.invalid(at, jsonPath, `is an invalid path: ${target}`));
      continue;
    }
    if (jsonPath.startsWith(".metadata"))
      errors.push(fieldError.invalid(at, jsonPath, "must not point to fields in metadata"));
    if (!["string", "boolean", "integer"].includes(target.type ?? ""))
      errors.push(
        fieldError.invalid(
          at,
          jsonPath,
          "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.",
        ),
      );
    if (seen.has(jsonPath)) errors.push(fieldError.duplicate(at, jsonPath));
    seen.add(jsonPath);
  }
  if (seen.size > maxSelectableFields) errors.push(fieldError.tooMany(path, seen.size, maxSelectableFields));
  return errors;
}

/** Returns the schema at a path, or the reason why the path is not valid. */
function targetOf(jsonPath: string, schema: JsonSchema): JsonSchema | string {
  try {
    return followFieldPath(jsonPath, schema, { allowKeys: false }).schema;
  } catch (error) {
    if (error instanceof InvalidFieldPath) return error.message;
    throw error;
  }
}
