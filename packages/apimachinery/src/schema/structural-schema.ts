/** Names of the types a structural schema knows. */
export type StructuralType = "array" | "boolean" | "integer" | "number" | "object" | "string";

/** A rule in the Common Expression Language. @see apiextensions/v1 ValidationRule */
export interface ValidationRule {
  /** True of valid values; the value is `self`, what it was `oldSelf`. */
  rule: string;
  /** What is said where the rule is false. Default: `failed rule: ` and the rule. */
  message?: string;
  /** Makes the message, and wins over `message`, which serves where it fails. */
  messageExpression?: string;
  /** Default `FieldValueInvalid`. */
  reason?: "FieldValueInvalid" | "FieldValueForbidden" | "FieldValueRequired" | "FieldValueDuplicate";
  /** The field that is told to be wrong, relative to `self`: `.spec.size`. Default: `self`. */
  fieldPath?: string;
  /** Ask a rule about `oldSelf` on creation as well; `oldSelf` is an optional value then. Default false. */
  optionalOldSelf?: boolean;
}

/**
 * The part of OpenAPI v3 that a CustomResourceDefinition may use, in wire form.
 *
 * @see apiextensions-apiserver apis/apiextensions/v1 JSONSchemaProps
 */
export interface StructuralSchema {
  type?: StructuralType;
  title?: string;
  description?: string;
  format?: string;
  nullable?: boolean;
  default?: unknown;
  example?: unknown;
  enum?: unknown[];
  properties?: Record<string, StructuralSchema>;
  additionalProperties?: StructuralSchema | boolean;
  required?: string[];
  items?: StructuralSchema;
  minimum?: number;
  exclusiveMinimum?: boolean;
  maximum?: number;
  exclusiveMaximum?: boolean;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minItems?: number;
  maxItems?: number;
  minProperties?: number;
  maxProperties?: number;
  allOf?: StructuralSchema[];
  anyOf?: StructuralSchema[];
  oneOf?: StructuralSchema[];
  not?: StructuralSchema;
  "x-kubernetes-preserve-unknown-fields"?: boolean;
  "x-kubernetes-embedded-resource"?: boolean;
  "x-kubernetes-int-or-string"?: boolean;
  "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  "x-kubernetes-list-map-keys"?: string[];
  "x-kubernetes-map-type"?: "granular" | "atomic";
  "x-kubernetes-validations"?: ValidationRule[];
}
