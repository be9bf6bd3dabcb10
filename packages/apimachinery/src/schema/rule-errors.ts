import { type FieldError, fieldError } from "../error/field-error.ts";
import type { FieldPath } from "../error/field-path.ts";
import { ownMember } from "../value/json-value.ts";
import type { StructuralSchema, ValidationRule } from "./structural-schema.ts";

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];
const members = ["rule", "message", "messageExpression", "reason", "fieldPath", "optionalOldSelf"];

/**
 * Returns the errors that the API server would report for a schema's rules. Expressions are not compiled.
 *
 * @see apiextensions-apiserver pkg/apis/apiextensions/validation ValidateCustomResourceDefinitionOpenAPISchema
 */
export function ruleErrors(rules: readonly ValidationRule[], schema: StructuralSchema, path: FieldPath): FieldError[] {
  return rules.flatMap((rule, i) => errorsOf(rule, schema, path.index(i)));
}

function errorsOf(validation: ValidationRule, schema: StructuralSchema, path: FieldPath): FieldError[] {
  const { rule, message, messageExpression, reason, fieldPath, optionalOldSelf } = validation;
  const errors: FieldError[] = Object.keys(validation)
    .filter((name) => !members.includes(name))
    .map((name) =>
      fieldError.invalid(path, name, `unknown member of a rule; supported members: ${members.join(", ")}`),
    );
  if (typeof rule !== "string" || rule.trim() === "")
    errors.push(fieldError.required(path.child("rule"), "an expression such as self.min <= self.max"));
  if (message !== undefined && message.trim() === "")
    errors.push(fieldError.invalid(path.child("message"), message, "must not be empty if it is set"));
  else if (message !== undefined && lineBreak.test(message.trim()))
    errors.push(fieldError.invalid(path.child("message"), message, "must not contain line breaks"));
  else if (message === undefined && typeof rule === "string" && lineBreak.test(rule.trim()))
    errors.push(fieldError.required(path.child("message"), "must be set if the rule contains line breaks"));
  if (messageExpression !== undefined && messageExpression.trim() === "")
    errors.push(
      fieldError.required(path.child("messageExpression"), "must be an expression that returns a string if it is set"),
    );
  if (reason !== undefined && !reasons.includes(reason))
    errors.push(fieldError.notSupported(path.child("reason"), reason, reasons));
  if (fieldPath !== undefined && !leadsSomewhere(fieldPath, schema))
    errors.push(
      fieldError.invalid(path.child("fieldPath"), fieldPath, "must be a field path relative to the rule, such as .max"),
    );
  if (optionalOldSelf !== undefined && typeof optionalOldSelf !== "boolean")
    errors.push(fieldError.invalid(path.child("optionalOldSelf"), optionalOldSelf, "must be true or false"));
  return errors;
}

const lineBreak = /[\r\n]/;

/** Reports whether a path of names, such as `.spec.max` or `.labels['a.b']`, refers to a field of the schema. */
function leadsSomewhere(path: string, schema: StructuralSchema): boolean {
  const steps = [...path.matchAll(/\.([^.[\]']+)|\['((?:[^'\\]|\\.)*)'\]/g)];
  if (path === "" || steps.map(([text]) => text).join("") !== path) return false;
  let here: StructuralSchema | undefined = schema;
  for (const [, name, quoted = ""] of steps) here = here && memberOf(here, name ?? quoted.replace(/\\(.)/g, "$1"));
  return here !== undefined;
}

function memberOf({ properties, additionalProperties }: StructuralSchema, name: string): StructuralSchema | undefined {
  if (properties) return ownMember(properties, name);
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}
