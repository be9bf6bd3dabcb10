import { quote } from "../value/go-format.ts";
import { ownMember } from "../value/own-member.ts";
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
 * A selector as objects carry it (`spec.selector`). Both parts have to hold; an empty one selects everything.
 *
 * @see apimachinery meta/v1 LabelSelector
 */
export interface LabelSelectorSpec {
  readonly matchLabels?: Readonly<Record<string, string>> | undefined;
  /** Operators are `In`, `NotIn`, `Exists` and `DoesNotExist`; the last two take no values. */
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
    const known = ownMember(specOperators, operator);
    if (known === undefined) throw new Error(`${quote(operator)} is not a valid label selector operator`);
    return { key, operator: known, values: values ?? [] };
  });
  return LabelSelector.of([...fromLabels, ...fromExpressions]);
}
