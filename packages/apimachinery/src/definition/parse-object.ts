import { type FieldError, fieldError, toAggregateInvalid } from "../error/field-error.ts";
import { FieldPath } from "../error/field-path.ts";
import { badRequest } from "../error/status-error.ts";
import { apiVersionOf, type GroupVersionKind, type Scope } from "../object/kind.ts";
import type { KubeObject } from "../object/object.ts";
import { applySchemaDefaults } from "../schema/apply-defaults.ts";
import { pruneToSchema } from "../schema/prune.ts";
import type { StructuralSchema } from "../schema/structural-schema.ts";
import { validateAgainstSchema } from "../schema/validate.ts";
import { isRecord } from "../value/json-value.ts";
import { isDns1123Label, isDns1123Subdomain, isLabelValue, validateQualifiedName } from "../value/names.ts";

/**
 * Returns a copy of a custom object, pruned, defaulted and validated against the kind's schema.
 *
 * @throws {StatusError} 400 or 422, as the API server would return
 */
export function parseWithSchema<T extends KubeObject>(
  value: unknown,
  kind: GroupVersionKind & { readonly scope: Scope },
  schema: StructuralSchema,
): T {
  if (!isRecord(value)) throw badRequest(`the object provided is unrecognized (must be of type ${kind.kind})`);
  const wanted = apiVersionOf(kind);
  if (value.apiVersion !== undefined && value.apiVersion !== wanted)
    throw badRequest(
      `the API version in the data (${String(value.apiVersion)}) does not match the expected API version (${wanted})`,
    );
  const metadata = isRecord(value.metadata) ? structuredClone(value.metadata) : {};
  const { metadata: _metadata, ...rest } = structuredClone(value);
  const object = { apiVersion: wanted, kind: kind.kind, ...asRecord(pruneToSchema(rest, schema)), metadata };
  applySchemaDefaults(object, schema);
  const errors = [
    ...(object.kind === kind.kind ? [] : [fieldError.invalid("kind", object.kind, `must be ${kind.kind}`)]),
    ...metadataErrors(metadata, kind.scope),
    ...validateAgainstSchema(object, schema),
  ];
  if (errors.length > 0) throw toAggregateInvalid(kind, typeof metadata.name === "string" ? metadata.name : "", errors);
  const checked: unknown = object;
  return checked as T;
}

function metadataErrors(metadata: Record<string, unknown>, scope: Scope): FieldError[] {
  const at = FieldPath.of("metadata");
  const { name, generateName, namespace, labels, annotations } = metadata;
  const errors: FieldError[] = [];
  if (typeof name === "string" && name !== "")
    errors.push(...isDns1123Subdomain(name).map((text) => fieldError.invalid(at.child("name"), name, text)));
  else if (!generateName) errors.push(fieldError.required(at.child("name"), "name or generateName is required"));
  if (typeof generateName === "string" && generateName !== "") {
    const sample = generateName.replace(/-$/, "a");
    errors.push(
      ...isDns1123Subdomain(sample).map((text) => fieldError.invalid(at.child("generateName"), generateName, text)),
    );
  }
  if (typeof namespace === "string" && namespace !== "") {
    if (scope === "Cluster") errors.push(fieldError.forbidden(at.child("namespace"), "not allowed on this type"));
    else
      errors.push(
        ...isDns1123Label(namespace).map((text) => fieldError.invalid(at.child("namespace"), namespace, text)),
      );
  }
  for (const [key, value] of Object.entries(asRecord(labels))) {
    errors.push(...validateQualifiedName(key).map((text) => fieldError.invalid(at.child("labels"), key, text)));
    errors.push(...isLabelValue(String(value)).map((text) => fieldError.invalid(at.child("labels"), value, text)));
  }
  for (const key of Object.keys(asRecord(annotations)))
    errors.push(
      ...validateQualifiedName(key.toLowerCase()).map((text) => fieldError.invalid(at.child("annotations"), key, text)),
    );
  return errors;
}

const asRecord = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});
