import type { ValidationRule } from "./structural-schema.ts";

/** Options for a {@link cel} rule. */
export interface CelOptions {
  /** Message for values that violate the rule. It must be a single line. Default: `failed rule: ` and the expression. */
  readonly message?: string | undefined;
  /**
   * CEL expression that returns the message, which can include values from the object. If it is set, `message` is used only if this
   * expression fails.
   */
  readonly messageExpression?: string | undefined;
  /** Reason in the field error. Default `FieldValueInvalid`. */
  readonly reason?: ValidationRule["reason"] | undefined;
  /**
   * Path of the invalid field, relative to the schema that contains the rule, such as `.max`. Default: the value that the schema describes.
   */
  readonly fieldPath?: string | undefined;
  /** True to evaluate a rule with `oldSelf` also on creation. `oldSelf` is then an optional value. Default false. */
  readonly optionalOldSelf?: boolean | undefined;
}

/**
 * Creates a rule in the Common Expression Language (CEL), for use in the `rules` of `defineKind` and with {@link
 * withRules}, as in `cel("self.min <= self.max", "min must not exceed max")`. The API server compiles the rule when the
 * CustomResourceDefinition is created and evaluates it on every write.
 *
 * @see apiextensions-apiserver apis/apiextensions/v1 ValidationRule
 */
export function cel(rule: string, message: string | CelOptions = {}): ValidationRule {
  const options: CelOptions = typeof message === "string" ? { message } : message;
  const stated = Object.entries(options).filter(([, value]) => value !== undefined);
  return { rule, ...Object.fromEntries(stated) };
}

/**
 * Returns a copy of a schema with additional rules, and with the same type: `withRules(Type.Object({ … }),
 * [cel("self.min <= self.max")])`.
 */
export function withRules<S extends object>(schema: S, rules: readonly ValidationRule[]): S {
  // A spread would lose the non-enumerable members with which typebox marks optional properties.
  const copy: S & { "x-kubernetes-validations"?: ValidationRule[] } = Object.defineProperties(
    Object.create(Object.getPrototypeOf(schema)),
    Object.getOwnPropertyDescriptors(schema),
  );
  copy["x-kubernetes-validations"] = [...(copy["x-kubernetes-validations"] ?? []), ...rules];
  return copy;
}
