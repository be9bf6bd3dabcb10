import type { ValidationRule } from "./structural-schema.ts";

/** What a {@link cel} rule may say beside its expression. */
export interface CelOptions {
  /** What a user reads when the rule is broken. Default: `failed rule: ` and the expression. One line. */
  readonly message?: string | undefined;
  /** An expression that gives the message, with values of the object in it. Goes before `message`, which stands in if it fails. */
  readonly messageExpression?: string | undefined;
  /** Default `FieldValueInvalid`. */
  readonly reason?: ValidationRule["reason"];
  /** Which field is to blame, from where the rule stands: `.max`. Default: where the rule stands. */
  readonly fieldPath?: string | undefined;
  /** Runs a rule with `oldSelf` at creation too; `oldSelf` is an optional then. */
  readonly optionalOldSelf?: boolean | undefined;
}

/**
 * A rule in the Common Expression Language, for `rules` of `defineKind` and for {@link withRules}: `cel("self.min <= self.max", "min
 * must not exceed max")`. The API server compiles it when the definition is created, and runs it on every write.
 *
 * @see apiextensions-apiserver apis/apiextensions/v1 ValidationRule
 */
export function cel(rule: string, message: string | CelOptions = {}): ValidationRule {
  const options: CelOptions = typeof message === "string" ? { message } : message;
  const stated = Object.entries(options).filter(([, value]) => value !== undefined);
  return { rule, ...Object.fromEntries(stated) };
}

/** The schema with rules of its own, of the same type: `withRules(Type.Object({ … }), [cel("self.min <= self.max")])`. */
export function withRules<S extends object>(schema: S, rules: readonly ValidationRule[]): S {
  // Not spread: typebox hides what makes a property optional from enumeration.
  const copy: S & { "x-kubernetes-validations"?: ValidationRule[] } = Object.defineProperties(
    Object.create(Object.getPrototypeOf(schema)),
    Object.getOwnPropertyDescriptors(schema),
  );
  copy["x-kubernetes-validations"] = [...(copy["x-kubernetes-validations"] ?? []), ...rules];
  return copy;
}
