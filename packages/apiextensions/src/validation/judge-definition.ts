import { fieldErrorMessage, isStatusError } from "@kubewright/apimachinery";
import { decodeBody } from "@kubewright/codec";
import { builtinSchema } from "@kubewright/codec/schema";
import type { CustomResourceDefinition } from "../definition/definition.ts";
import { customResourceDefinitionStrategy } from "./definition-strategy.ts";
import { validateDefinition } from "./definition-validation.ts";

const gvk = { group: "apiextensions.k8s.io", version: "v1", kind: "CustomResourceDefinition" } as const;

/**
 * What an API server would refuse of a definition, each reason in its words; nothing if it takes it. Structure, types and cost of rules
 * are checked as on create, with strict field validation. It needs no server, and does not change what it is given.
 *
 * @see apiextensions-apiserver pkg/apis/apiextensions/validation ValidateCustomResourceDefinition
 */
export function judgeDefinition(definition: unknown): string[] {
  const schema = builtinSchema(gvk);
  if (!schema) throw new Error(`there is no schema of ${gvk.kind}`);
  const body = Buffer.from(JSON.stringify(definition) ?? "null");
  let read: object;
  try {
    read = decodeBody("application/json", body, { gvk, schema, custom: false }, "Strict").object;
  } catch (error) {
    if (isStatusError(error)) return [error.message];
    throw error;
  }
  const object = read as CustomResourceDefinition; // as the schema has it: what is not was thrown
  customResourceDefinitionStrategy.applyDefaults?.(object);
  return validateDefinition(object).map(fieldErrorMessage);
}
