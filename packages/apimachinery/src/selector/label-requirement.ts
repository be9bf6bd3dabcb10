import { aggregateFieldErrors, type FieldError, fieldError } from "../error/field-error.ts";
import { FieldPath } from "../error/field-path.ts";
import { isLabelValue, validateQualifiedName } from "../value/names.ts";

/**
 * Operator in a label requirement. `=` and `==` have the same meaning, `!` requires the label to be absent, and `gt`
 * and `lt` compare 64-bit integers.
 *
 * @see apimachinery selection Operator
 */
export type LabelOperator = "=" | "==" | "!=" | "in" | "notin" | "exists" | "!" | "gt" | "lt";

/** A condition on one label. `values` are sorted and distinct. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

type Labels = Readonly<Record<string, string>> | undefined;

/** Reports whether labels meet a requirement. */
export function requirementMatches({ key, operator, values }: LabelRequirement, labels: Labels): boolean {
  const value = labels && Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case "=":
    case "==":
    case "in":
      return value !== undefined && values.includes(value);
    case "!=":
    case "notin":
      return value === undefined || !values.includes(value);
    case "exists":
      return value !== undefined;
    case "!":
      return value === undefined;
    case "gt":
    case "lt": {
      const [limit] = values;
      if (value === undefined || limit === undefined || !integer.test(value) || !isInt64(value)) return false;
      return operator === "gt" ? BigInt(value) > BigInt(limit) : BigInt(value) < BigInt(limit);
    }
  }
}

/** Formats a requirement as text. */
export function printRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case "exists":
      return key;
    case "!":
      return `!${key}`;
    case "in":
    case "notin":
      return `${key} ${operator} (${values.join(",")})`;
    case "gt":
      return `${key}>${values[0] ?? ""}`;
    case "lt":
      return `${key}<${values[0] ?? ""}`;
    default:
      return `${key}${operator}${values[0] ?? ""}`;
  }
}

const integer = /^-?\d+$/;

function isInt64(text: string): boolean {
  if (text.length > 63) return false; // the text is longer than a label value may be
  const value = BigInt(text);
  return BigInt.asIntN(64, value) === value;
}

function keyErrors(key: string, path: FieldPath): FieldError[] {
  const messages = validateQualifiedName(key);
  return messages.length > 0 ? [fieldError.invalid(path, key, messages.join("; "))] : [];
}

/** Validates a label key. @throws {Error} with upstream's message if the key is not valid */
export function checkKey(key: string): void {
  const errors = keyErrors(key, FieldPath.root);
  if (errors.length > 0) throw new Error(aggregateFieldErrors(errors));
}

/**
 * Validates a requirement and returns it with sorted and distinct values. @throws {Error} with upstream's message if the requirement is not
 * valid
 */
export function checkedRequirement(requirement: LabelRequirement): LabelRequirement {
  const { key, operator } = requirement;
  const values = [...new Set(requirement.values)].sort();
  const at = FieldPath.of("values");
  const errors = [
    ...keyErrors(key, FieldPath.of("key")),
    ...countErrors(operator, values, at),
    ...values.flatMap((value, i) => {
      const messages = isLabelValue(value);
      return messages.length > 0 ? [fieldError.invalid(at.index(i).key(key), value, messages.join("; "))] : [];
    }),
  ];
  if (errors.length > 0) throw new Error(aggregateFieldErrors(errors));
  return { key, operator, values };
}

function countErrors(operator: LabelOperator, values: readonly string[], at: FieldPath): FieldError[] {
  switch (operator) {
    case "in":
    case "notin":
      return values.length === 0
        ? [fieldError.invalid(at, values, "for 'in', 'notin' operators, values set can't be empty")]
        : [];
    case "=":
    case "==":
    case "!=":
      return values.length === 1
        ? []
        : [fieldError.invalid(at, values, "exact-match compatibility requires one single value")];
    case "exists":
    case "!":
      return values.length === 0
        ? []
        : [fieldError.invalid(at, values, "values set must be empty for exists and does not exist")];
    case "gt":
    case "lt":
      return [
        ...(values.length === 1
          ? []
          : [fieldError.invalid(at, values, "for 'Gt', 'Lt' operators, exactly one value is required")]),
        ...values.flatMap((value, i) =>
          integer.test(value) && isInt64(value)
            ? []
            : [fieldError.invalid(at.index(i), value, "for 'Gt', 'Lt' operators, the value must be an integer")],
        ),
      ];
  }
}
