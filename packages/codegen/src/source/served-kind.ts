import type { Scope } from "@kubewright/apimachinery";

/** Keywords of JSON schema that CRDs and OpenAPI documents share. */
export interface SourceSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly nullable?: boolean;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, SourceSchema>>;
  readonly additionalProperties?: SourceSchema | boolean;
  readonly required?: readonly string[];
  readonly items?: SourceSchema;
  readonly allOf?: readonly SourceSchema[];
  readonly anyOf?: readonly SourceSchema[];
  readonly oneOf?: readonly SourceSchema[];
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
}

/** One version of a kind. */
export interface ServedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: Scope;
  readonly schema: SourceSchema;
  /** Targets of `$ref` in the schema. Undefined for CRDs. */
  readonly schemas?: Readonly<Record<string, SourceSchema>>;
}
