import { quote } from "../value/go-format.ts";
import { ownMember } from "../value/json-value.ts";
import {
  checkedRequirement,
  checkKey,
  type LabelOperator,
  type LabelRequirement,
  printRequirement,
  requirementMatches,
} from "./label-requirement.ts";
import { LabelSelectorParser } from "./label-selector-parser.ts";

/**
 * A label selector as used in objects, such as in `spec.selector`. Both of its parts must match. An empty selector
 * matches all objects.
 *
 * @see apimachinery meta/v1 LabelSelector
 */
export interface LabelSelectorSpec {
  readonly matchLabels?: Readonly<Record<string, string>> | undefined;
  /** Conditions on labels. Their operators are `In`, `NotIn`, `Exists` and `DoesNotExist`; the last two have no values. */
  readonly matchExpressions?:
    | readonly { readonly key: string; readonly operator: string; readonly values?: readonly string[] | undefined }[]
    | undefined;
}

/**
 * Selects objects by their labels. All requirements must be met. Requirements are sorted by key. Immutable.
 *
 * @see apimachinery labels Selector
 */
export class ParsedLabelSelector {
  readonly requirements: readonly LabelRequirement[];
  readonly #selectsNothing: boolean;

  private constructor(requirements: readonly LabelRequirement[], selectsNothing = false) {
    this.requirements = requirements;
    this.#selectsNothing = selectsNothing;
  }

  /** Selector that matches all labels. */
  static readonly everything: ParsedLabelSelector = new ParsedLabelSelector([]);
  /** Selector that matches no labels. */
  static readonly nothing: ParsedLabelSelector = new ParsedLabelSelector([], true);

  /**
   * Returns a selector with the given requirements.
   *
   * @throws {Error} with upstream's message if a key, operator or value is not valid
   */
  static of(requirements: readonly LabelRequirement[]): ParsedLabelSelector {
    const checked = requirements.map(checkedRequirement);
    return new ParsedLabelSelector(checked.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)));
  }

  /** True if the selector has no requirements, so that it matches all labels. */
  get isEmpty(): boolean {
    return !this.#selectsNothing && this.requirements.length === 0;
  }

  matches(labels: Readonly<Record<string, string>> | undefined): boolean {
    if (this.#selectsNothing) return false;
    return this.requirements.every((requirement) => requirementMatches(requirement, labels));
  }

  /** Returns the selector as text, which {@link parseLabelSelector} can parse. The text is empty if there are no requirements. */
  toString(): string {
    return this.requirements.map(printRequirement).join(",");
  }
}

/**
 * Parses a label selector such as `a=b,c in (d,e),!f`.
 *
 * @throws {Error} with upstream's message, such as `unable to parse requirement: found '!', expected: in, notin, ...`
 * @see apimachinery labels Parse
 */
export function parseLabelSelector(text: string): ParsedLabelSelector {
  return ParsedLabelSelector.of(new LabelSelectorParser(text, checkedRequirement, checkKey).parse());
}

/**
 * Returns a selector that requires all of the given labels.
 *
 * @throws {Error} with upstream's message if a key or value is not valid
 */
export function labelSelectorFromLabels(labels: Readonly<Record<string, string>> | undefined): ParsedLabelSelector {
  return labelSelectorFrom({ matchLabels: labels });
}

const specOperators: Readonly<Record<string, LabelOperator>> = {
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "!",
};

/**
 * Converts a label selector in an object's field. If the field is absent, the result selects nothing; if it is empty,
 * the result selects everything.
 *
 * @throws {Error} if an operator, key or value is not valid
 * @see apimachinery apis/meta/v1 LabelSelectorAsSelector
 */
export function labelSelectorFrom(spec: LabelSelectorSpec | undefined): ParsedLabelSelector {
  if (spec === undefined) return ParsedLabelSelector.nothing;
  const fromLabels = Object.entries(spec.matchLabels ?? {}).map(
    ([key, value]): LabelRequirement => ({ key, operator: "=", values: [value] }),
  );
  const fromExpressions = (spec.matchExpressions ?? []).map(({ key, operator, values }): LabelRequirement => {
    const known = ownMember(specOperators, operator);
    if (known === undefined) throw new Error(`${quote(operator)} is not a valid label selector operator`);
    return { key, operator: known, values: values ?? [] };
  });
  return ParsedLabelSelector.of([...fromLabels, ...fromExpressions]);
}
