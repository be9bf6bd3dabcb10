/**
 * A condition on one field: its value must either equal a given string or differ from it.
 *
 * @see apimachinery fields Requirement
 */
export interface FieldRequirement {
  /** Path of the field, such as `metadata.name` or `spec.nodeName`. */
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/**
 * Selects objects by the values of their fields. All requirements must be met. Immutable.
 *
 * @see apimachinery fields Selector
 */
export class FieldSelector {
  readonly requirements: readonly FieldRequirement[];

  private constructor(requirements: readonly FieldRequirement[]) {
    this.requirements = requirements;
  }

  /** Selector that matches all objects. */
  static readonly everything: FieldSelector = new FieldSelector([]);

  /** Returns a selector with the given requirements, which are not validated. */
  static of(requirements: readonly FieldRequirement[]): FieldSelector {
    return new FieldSelector([...requirements]);
  }

  /** True if the selector matches all objects. */
  get isEmpty(): boolean {
    return this.requirements.length === 0;
  }

  /** Reports whether all requirements are met. `lookup` must return the value of a field; `undefined` is treated as an empty value. */
  matches(lookup: (field: string) => string | undefined): boolean {
    return this.requirements.every(
      ({ field, operator, value }) => ((lookup(field) ?? "") === value) === (operator === "="),
    );
  }

  /** Returns the value that `field` must have, or `undefined` if the selector does not require one. */
  requiresExactMatch(field: string): string | undefined {
    return this.requirements.find((r) => r.field === field && r.operator === "=")?.value;
  }

  /** Returns the selector as text, which {@link parseFieldSelector} can parse. */
  toString(): string {
    return this.requirements.map((r) => `${r.field}${r.operator}${escapeFieldValue(r.value)}`).join(",");
  }
}

/** Returns a selector that requires each field to have the given value. */
export function fieldSelectorFrom(fields: Readonly<Record<string, string>>): FieldSelector {
  return FieldSelector.of(Object.entries(fields).map(([field, value]) => ({ field, operator: "=", value })));
}

/**
 * Parses a field selector such as `metadata.name=a,status.phase!=Running`. A backslash escapes `,`, `=` and `\`. A term
 * that is just `=` is ignored.
 *
 * @throws {Error} with upstream's message, such as `invalid selector: 'foo'; can't understand 'foo'`
 * @see apimachinery fields ParseSelector
 */
export function parseFieldSelector(text: string): FieldSelector {
  const requirements: FieldRequirement[] = [];
  for (const term of splitTerms(text)) {
    if (term === "") continue;
    const parts = splitTerm(term);
    if (!parts) throw new Error(`invalid selector: '${text}'; can't understand '${term}'`);
    const value = unescapeFieldValue(parts.value);
    // Old clients write an empty selector as a term without field and value.
    if (parts.field === "" && value === "" && parts.operator === "=") continue;
    requirements.push({ field: parts.field, operator: parts.operator, value });
  }
  return FieldSelector.of(requirements);
}

/** Escapes a value for the text form of a selector. */
export function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, (char) => `\\${char}`);
}

function unescapeFieldValue(text: string): string {
  let value = "";
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === "\\") {
      const next = text.charAt(i + 1);
      if (next !== "\\" && next !== "," && next !== "=")
        throw new Error(`invalid field selector: invalid escape sequence: \\${next}`);
      value += next;
      i++;
    } else if (char === "," || char === "=") {
      throw new Error(`invalid field selector: unescaped character in value: ${char.charCodeAt(0)}`);
    } else {
      value += char;
    }
  }
  return value;
}

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text.charAt(i) === "\\") i++;
    else if (text.charAt(i) === ",") {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  return [...terms, text.slice(start)];
}

function splitTerm(term: string): FieldRequirement | undefined {
  for (let i = 0; i < term.length; i++) {
    for (const [sign, operator] of [
      ["!=", "!="],
      ["==", "="],
      ["=", "="],
    ] as const) {
      if (term.startsWith(sign, i)) return { field: term.slice(0, i), operator, value: term.slice(i + sign.length) };
    }
  }
  return undefined;
}
