import { type FieldError, fieldErrorMessage, isStatusError, type KubeObject } from "@kubewright/apimachinery";
import { decodeBody } from "@kubewright/codec";
import { builtinSchema } from "@kubewright/codec/schema";
import type { CustomResourceDefinition } from "../definition/definition.ts";
import { customStrategy } from "../served/custom-strategy.ts";
import { customResourceDefinitionStrategy } from "./definition-strategy.ts";
import { validateDefinition } from "./definition-validation.ts";

const gvk = { group: "apiextensions.k8s.io", version: "v1", kind: "CustomResourceDefinition" } as const;

/**
 * Returns the errors for which an API server would reject a CRD, with the server's messages, or an empty list if the
 * CRD is valid. Checks the structure, types and rule costs as if the CRD were created with strict field validation.
 * Needs no server, and does not modify its argument.
 *
 * @see apiextensions-apiserver pkg/apis/apiextensions/validation ValidateCustomResourceDefinition
 */
export function judgeDefinition(definition: unknown): string[] {
  const read = readDefinition(definition);
  return typeof read === "string" ? [read] : validateDefinition(read).map(fieldErrorMessage);
}

/**
 * Returns a function that validates new objects in one version of a CRD without a server. The function returns the
 * errors for which an API server would reject the object, with the server's messages. These include violations of CEL
 * rules, but not errors in the metadata. The object is not modified.
 *
 * @throws {Error} if the CRD does not match its type, or has no such version
 */
export function judgeObjects(definition: unknown, version: string): (object: KubeObject) => FieldError[] {
  const read = readDefinition(definition);
  if (typeof read === "string") throw new Error(read);
  const found = read.spec.versions.find(({ name }) => name === version);
  if (!found) throw new Error(`${read.metadata.name} has no version ${JSON.stringify(version)}`);
  const { applyDefaults, validate } = customStrategy(found);
  const context = { user: { name: "", groups: [], extra: {} }, nowMs: 0, namespace: "", dryRun: false };
  return (object) => {
    const copy = structuredClone(object);
    applyDefaults?.(copy);
    return validate?.(copy, context) ?? [];
  };
}

/** Reads a CRD and adds the defaults. If the CRD does not match its type, returns the reason as text. */
export function readDefinition(definition: unknown): CustomResourceDefinition | string {
  const schema = builtinSchema(gvk);
  if (!schema) throw new Error(`no schema for kind ${gvk.kind}`);
  const body = Buffer.from(JSON.stringify(definition) ?? "null");
  let read: object;
  try {
    read = decodeBody("application/json", body, { gvk, schema, custom: false }, "Strict").object;
  } catch (error) {
    if (isStatusError(error)) return error.message;
    throw error;
  }
  const object = read as CustomResourceDefinition; // the value matches the schema; otherwise, reading it would have failed
  customResourceDefinitionStrategy.applyDefaults?.(object);
  return object;
}
