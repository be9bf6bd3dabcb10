import type { Scope } from "@kubewright/apimachinery";

/** Keywords of JSON schema that CRDs and OpenAPI documents share. */
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
  readonly "x-kubernetes-int-or-string"?: boolean | undefined;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean | undefined;
  readonly "x-kubernetes-embedded-resource"?: boolean | undefined;
}

/** One version of a kind. */
export interface ServedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: Scope;
  readonly schema: SourceSchema;
  /** Schemas to which a `$ref` in the schema can refer. Undefined for CRDs. */
  readonly schemas?: Readonly<Record<string, SourceSchema>> | undefined;
}
