import { aggregateFieldErrors, type FieldError, fieldError } from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import { quote } from "./go-format.ts";
import { LabelSelectorParser } from "./label-selector-parser.ts";
import { isLabelValue, validateQualifiedName } from "./names.ts";

export type LabelOperator = "=" | "==" | "!=" | "in" | "notin" | "exists" | "!" | "gt" | "lt";

/** One condition on one label. `values` are sorted and distinct. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

/** A selector as objects carry it (`spec.selector`). */
export interface LabelSelectorSpec {
  readonly matchLabels?: Readonly<Record<string, string>> | undefined;
  readonly matchExpressions?:
    | readonly { readonly key: string; readonly operator: string; readonly values?: readonly string[] | undefined }[]
    | undefined;
}

type Labels = Readonly<Record<string, string>> | undefined;

/**
 * Which labels are wanted. Immutable; requirements are kept sorted by key, and all of them must hold.
 *
 * @see apimachinery labels Selector
 */
export class LabelSelector {
  readonly requirements: readonly LabelRequirement[];
  readonly #selectsNothing: boolean;

  private constructor(requirements: readonly LabelRequirement[], selectsNothing = false) {
    this.requirements = requirements;
    this.#selectsNothing = selectsNothing;
  }

  /** Matches every set of labels. */
  static readonly everything: LabelSelector = new LabelSelector([]);
  /** Matches no set of labels. */
  static readonly nothing: LabelSelector = new LabelSelector([], true);

  /**
   * A selector of these requirements.
   *
   * @throws {Error} with upstream's text if a key, operator or value is not allowed
   */
  static of(requirements: readonly LabelRequirement[]): LabelSelector {
    const checked = requirements.map(checkedRequirement);
    return new LabelSelector(checked.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)));
  }

  /** Whether it matches everything because it asks nothing. */
  get isEmpty(): boolean {
    return !this.#selectsNothing && this.requirements.length === 0;
  }

  matches(labels: Labels): boolean {
    if (this.#selectsNothing) return false;
    return this.requirements.every((requirement) => requirementMatches(requirement, labels));
  }

  /** The text form; {@link parseLabelSelector} reads it. Empty for selectors without requirements. */
  toString(): string {
    return this.requirements.map(printRequirement).join(",");
  }
}

/**
 * Reads `a=b,c in (d,e),!f`.
 *
 * @throws {Error} with upstream's text, such as `unable to parse requirement: found '!', expected: in, notin, ...`
 * @see apimachinery labels Parse
 */
export function parseLabelSelector(text: string): LabelSelector {
  return LabelSelector.of(new LabelSelectorParser(text, checkedRequirement, checkKey).parse());
}

/** A selector that matches labels which have all of these. The labels are not checked. */
export function labelSelectorFromLabels(labels: Labels): LabelSelector {
  return labelSelectorFrom({ matchLabels: labels });
}

const specOperators: Readonly<Record<string, LabelOperator>> = {
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "!",
};

/**
 * The selector that an object's field means: absent selects nothing, empty selects everything.
 *
 * @throws {Error} if an operator, key or value is not allowed
 * @see apimachinery apis/meta/v1 LabelSelectorAsSelector
 */
export function labelSelectorFrom(spec: LabelSelectorSpec | undefined): LabelSelector {
  if (spec === undefined) return LabelSelector.nothing;
  const fromLabels = Object.entries(spec.matchLabels ?? {}).map(
    ([key, value]): LabelRequirement => ({ key, operator: "=", values: [value] }),
  );
  const fromExpressions = (spec.matchExpressions ?? []).map(({ key, operator, values }): LabelRequirement => {
    const known = specOperators[operator];
    if (known === undefined) throw new Error(`${quote(operator)} is not a valid label selector operator`);
    return { key, operator: known, values: values ?? [] };
  });
  return LabelSelector.of([...fromLabels, ...fromExpressions]);
}

function requirementMatches({ key, operator, values }: LabelRequirement, labels: Labels): boolean {
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
      if (value === undefined || limit === undefined || !integer.test(value)) return false;
      return operator === "gt" ? BigInt(value) > BigInt(limit) : BigInt(value) < BigInt(limit);
    }
  }
}

function printRequirement({ key, operator, values }: LabelRequirement): string {
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

function keyErrors(key: string, path: FieldPath): FieldError[] {
  const messages = validateQualifiedName(key);
  return messages.length > 0 ? [fieldError.invalid(path, key, messages.join("; "))] : [];
}

function checkKey(key: string): void {
  const errors = keyErrors(key, FieldPath.root);
  if (errors.length > 0) throw new Error(aggregateFieldErrors(errors));
}

/** Sorted, distinct and allowed. */
function checkedRequirement(requirement: LabelRequirement): LabelRequirement {
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
          integer.test(value)
            ? []
            : [fieldError.invalid(at.index(i), value, "for 'Gt', 'Lt' operators, the value must be an integer")],
        ),
      ];
  }
}
