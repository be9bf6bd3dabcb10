import { type FieldError, type FieldPath, fieldError, jsonEqual } from "@kubewright/apimachinery";
import { messages } from "../checks.ts";
import { isConfigMapKey } from "../names.ts";

/** Maximum size of the data in a ConfigMap or Secret, in bytes. */
export const maxDataBytes = 1024 * 1024;

export function keyErrors(keys: readonly string[], at: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  for (const key of keys) addKeyErrors(errors, key, at);
  return errors;
}

/**
 * Adds the errors in a key in a ConfigMap or Secret.
 *
 * @param at path of the map that contains the key
 */
export function addKeyErrors(errors: FieldError[], key: string, at: FieldPath): void {
  const problems = isConfigMapKey(key);
  if (problems.length > 0) errors.push(...messages(key, problems, at.key(key)));
}

/** Returns the number of bytes encoded by a base64 text. */
export function decodedBytes(base64: string): number {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return (base64.length / 4) * 3 - padding;
}

/**
 * Returns errors for changes to an immutable ConfigMap or Secret, that is, to the given fields or to `immutable`
 * itself.
 */
export function immutabilityErrors<T extends { immutable?: boolean }>(
  next: T,
  old: Readonly<T>,
  fields: readonly (keyof T & string)[],
): FieldError[] {
  if (!old.immutable) return [];
  const text = "field is immutable when `immutable` is set";
  return [
    ...(next.immutable ? [] : [fieldError.forbidden("immutable", text)]),
    ...fields.flatMap((field) =>
      jsonEqual(next[field] ?? {}, old[field] ?? {}) ? [] : [fieldError.forbidden(field, text)],
    ),
  ];
}
