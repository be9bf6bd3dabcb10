import { type FieldError, fieldError } from "../error/field-error.ts";
import { FieldPath } from "../error/field-path.ts";
import { ruleErrors } from "../schema/rule-errors.ts";
import type { StructuralSchema, ValidationRule } from "../schema/structural-schema.ts";
import { ownMember } from "../value/json-value.ts";
import type { KindRules } from "./kind-definition.ts";

/**
 * Returns the errors that the API server would report for a kind's rules, except those in CEL expressions. Errors
 * contain the definition's field names.
 */
export function kindRuleErrors(rules: KindRules, schema: StructuralSchema): FieldError[] {
  return Object.entries(rules).flatMap(([name, given]: [string, readonly ValidationRule[] | undefined]) => {
    const at = name === "" ? FieldPath.of("rules").key('""') : FieldPath.of("rules", name);
    if (!places.includes(name)) return [fieldError.notSupported("rules", name, places)];
    const target = name === "" ? schema : ownMember(schema.properties, name);
    if (!given || given.length === 0) return [];
    return target
      ? ruleErrors(given, target, at)
      : [fieldError.invalid("rules", name, `the kind has no ${name}; add a schema for it or remove its rules`)];
  });
}

/**
 * Returns a copy of a schema with additional rules for the object, its spec and its status. They are placed after the
 * existing rules.
 */
export function withKindRules(schema: StructuralSchema, rules: KindRules): StructuralSchema {
  const { properties = {} } = schema;
  const members = Object.entries(properties).map(([name, property]) => [
    name,
    name === "spec" || name === "status" ? ruled(property, rules[name]) : property,
  ]);
  return ruled({ ...schema, properties: Object.fromEntries(members) }, rules[""]);
}

const places = ["", "spec", "status"];

function ruled(schema: StructuralSchema, rules: readonly ValidationRule[] = []): StructuralSchema {
  if (rules.length === 0) return schema;
  return { ...schema, "x-kubernetes-validations": [...(schema["x-kubernetes-validations"] ?? []), ...rules] };
}
