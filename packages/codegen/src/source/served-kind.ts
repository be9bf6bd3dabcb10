import type { Scope } from "@kubewright/apimachinery";

/** The JSON schema keywords that CRDs and OpenAPI documents have in common. */
export interface SourceSchema {
  readonly $ref?: string | undefined;
  readonly type?: string | undefined;
  readonly format?: string | undefined;
  readonly description?: string | undefined;
  readonly nullable?: boolean | undefined;
  readonly default?: unknown;
  readonly enum?: readonly unknown[] | undefined;
  readonly properties?: Readonly<Record<string, SourceSchema>> | undefined;
  readonly additionalProperties?: SourceSchema | boolean | undefined;
  readonly required?: readonly string[] | undefined;
  readonly items?: SourceSchema | undefined;
  readonly allOf?: readonly SourceSchema[] | undefined;
  readonly anyOf?: readonly SourceSchema[] | undefined;
  readonly oneOf?: readonly SourceSchema[] | undefined;
  readonly minimum?: number | undefined;
  readonly exclusiveMinimum?: boolean | undefined;
  readonly maximum?: number | undefined;
  readonly exclusiveMaximum?: boolean | undefined;
  readonly multipleOf?: number | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly pattern?: string | undefined;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly minProperties?: number | undefined;
  readonly maxProperties?: number | undefined;
  readonly "x-kubernetes-int-or-string"?: boolean | undefined;
  readonly "x-kubernetes-list-type"?: string | undefined;
  readonly "x-kubernetes-list-map-keys"?: readonly string[] | undefined;
  readonly "x-kubernetes-validations"?: readonly SourceRule[] | undefined;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean | undefined;
  readonly "x-kubernetes-embedded-resource"?: boolean | undefined;
}

/** A CEL rule of a schema. */
interface SourceRule {
  readonly rule: string;
  readonly message?: string | undefined;
}

/** Reports whether a schema describes a number or a string, in the notation of CRDs or of OpenAPI documents. */
export function isIntOrString(schema: SourceSchema): boolean {
  if (schema["x-kubernetes-int-or-string"] || schema.format === "int-or-string") return true;
  const types = (schema.oneOf ?? schema.anyOf ?? []).map(({ type }) => type);
  return schema.type === undefined && types.includes("string") && types.some((t) => t === "integer" || t === "number");
}

/** A version of a kind. */
export interface ServedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: Scope;
  readonly schema: SourceSchema;
  /** Schemas that a `$ref` in the schema can refer to. Undefined for CRDs. */
  readonly schemas?: Readonly<Record<string, SourceSchema>> | undefined;
}
