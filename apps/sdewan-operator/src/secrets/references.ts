import type { DeepReadonly } from "@kubewright/apimachinery";
import type { SecretKeyRef } from "../api/ipsec/secret-key-ref.ts";
import type { CnfKind, RuleObject, SecretField } from "../uci/cnf-kind.ts";

/** A field of an object, with the reference to the Secret that contains its text. */
export interface SecretReference extends SecretField {
  readonly name: string;
  readonly key: string;
}

/** Returns the valid references to Secrets in an object. */
export function referencesOf(
  { secretFields }: Pick<CnfKind, "secretFields">,
  object: DeepReadonly<RuleObject>,
): readonly SecretReference[] {
  const spec: Readonly<Record<string, unknown>> = { ...object.spec };
  return secretFields.flatMap((field) => {
    const ref = spec[field.ref];
    return isReference(ref) ? [{ ...field, name: ref.name, key: ref.key }] : [];
  });
}

/** Returns the fields of an object whose clear-text values could be stored in a Secret instead. */
export function clearTextFields(
  { secretFields }: Pick<CnfKind, "secretFields">,
  { spec }: DeepReadonly<RuleObject>,
): readonly SecretField[] {
  const values: Readonly<Record<string, unknown>> = { ...spec };
  return secretFields.filter(({ field }) => typeof values[field] === "string" && values[field].trim() !== "");
}

const isReference = (value: unknown): value is SecretKeyRef =>
  typeof value === "object" &&
  value !== null &&
  "name" in value &&
  typeof value.name === "string" &&
  "key" in value &&
  typeof value.key === "string";
