import { type FieldError, fieldError, isDns1035Label, isRecord, parseApiVersion } from "@kubewright/apimachinery";
import type { JsonSchema } from "../definition/definition.ts";

/**
 * Validates `apiVersion` and `kind` of each embedded resource, and returns the errors.
 *
 * @see apiextensions-apiserver pkg/apiserver/schema/objectmeta Validate
 */
export function embeddedResourceErrors(value: unknown, schema: JsonSchema, path: string): FieldError[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.flatMap((item, i) => embeddedResourceErrors(item, items, `${path}[${i}]`)) : [];
  }
  if (!isRecord(value)) return [];
  const errors = schema["x-kubernetes-embedded-resource"] ? typeErrors(value, path) : [];
  const extra = typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
  for (const [name, member] of Object.entries(value)) {
    const property = schema.properties?.[name];
    if (property) errors.push(...embeddedResourceErrors(member, property, path === "" ? name : `${path}.${name}`));
    else if (extra) errors.push(...embeddedResourceErrors(member, extra, `${path}[${name}]`));
  }
  return errors;
}

function typeErrors(value: Readonly<Record<string, unknown>>, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const apiVersion = typeof value.apiVersion === "string" ? value.apiVersion : "";
  const kind = typeof value.kind === "string" ? value.kind : "";
  if (apiVersion === "") errors.push(fieldError.required(`${path}.apiVersion`));
  else if (!isApiVersion(apiVersion))
    errors.push(fieldError.invalid(`${path}.apiVersion`, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  if (kind === "") errors.push(fieldError.required(`${path}.kind`));
  else {
    const wrong = isDns1035Label(kind.toLowerCase());
    if (wrong.length > 0)
      errors.push(
        fieldError.invalid(`${path}.kind`, kind, `may have mixed case, but should otherwise match: ${wrong.join(",")}`),
      );
  }
  return errors;
}

function isApiVersion(text: string): boolean {
  try {
    parseApiVersion(text);
    return true;
  } catch {
    return false;
  }
}
