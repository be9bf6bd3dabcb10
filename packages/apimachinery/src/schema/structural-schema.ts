/** A rule in the Common Expression Language (CEL). @see apiextensions/v1 ValidationRule */
export interface ValidationRule {
  /** CEL expression that is true for valid values. `self` is the value, and `oldSelf` is the previous value. */
  rule: string;
  /** Message for values that violate the rule. Default: `failed rule: ` and the rule. */
  message?: string;
  /** CEL expression that returns the message. If it is set, `message` is used only if this expression fails. */
  messageExpression?: string;
  /** Reason in the field error. Default `FieldValueInvalid`. */
  reason?: "FieldValueInvalid" | "FieldValueForbidden" | "FieldValueRequired" | "FieldValueDuplicate";
  /** Path of the invalid field relative to `self`, such as `.spec.size`. Default: `self`. */
  fieldPath?: string;
  /** True to evaluate a rule with `oldSelf` also on creation. `oldSelf` is then an optional value. Default false. */
  optionalOldSelf?: boolean;
}

/**
 * An OpenAPI v3 schema in the form that CustomResourceDefinitions use.
 *
 * @see apiextensions-apiserver apis/apiextensions/v1 JSONSchemaProps
 */
export interface StructuralSchema {
  type?: "array" | "boolean" | "integer" | "number" | "object" | "string";
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
