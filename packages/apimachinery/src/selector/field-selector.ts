/** One condition on one field: its value is this text, or is not. @see apimachinery fields Requirement */
export interface FieldRequirement {
  /** A path such as `metadata.name` or `spec.nodeName`. */
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/**
 * Which values of fields are wanted. Immutable; all requirements must hold.
 *
 * @see apimachinery fields Selector
 */
export class FieldSelector {
  readonly requirements: readonly FieldRequirement[];

  private constructor(requirements: readonly FieldRequirement[]) {
    this.requirements = requirements;
  }

  /** Matches every object. */
  static readonly everything: FieldSelector = new FieldSelector([]);

  /** A selector of these requirements, which are taken as they are. */
  static of(requirements: readonly FieldRequirement[]): FieldSelector {
    return new FieldSelector([...requirements]);
  }

  /** Whether it matches every object. */
  get isEmpty(): boolean {
    return this.requirements.length === 0;
  }

  /** Asks `lookup` for each field; a field that is not there counts as empty. */
  matches(lookup: (field: string) => string | undefined): boolean {
    return this.requirements.every(
      ({ field, operator, value }) => ((lookup(field) ?? "") === value) === (operator === "="),
    );
  }

  /** The value that `field` must have, if exactly one is possible. */
  requiresExactMatch(field: string): string | undefined {
    return this.requirements.find((r) => r.field === field && r.operator === "=")?.value;
  }

  /** The text form; {@link parseFieldSelector} reads it. */
  toString(): string {
    return this.requirements.map((r) => `${r.field}${r.operator}${escapeFieldValue(r.value)}`).join(",");
  }
}

/** A selector that wants each of these fields to be equal. */
export function fieldSelectorFrom(fields: Readonly<Record<string, string>>): FieldSelector {
  return FieldSelector.of(Object.entries(fields).map(([field, value]) => ({ field, operator: "=", value })));
}

/**
 * Reads `metadata.name=a,status.phase!=Running`. A backslash escapes `,`, `=` and itself. Terms such as `=` ask nothing.
 *
 * @throws {Error} with upstream's text, such as `invalid selector: 'foo'; can't understand 'foo'`
 * @see apimachinery fields ParseSelector
 */
export function parseFieldSelector(text: string): FieldSelector {
  const requirements: FieldRequirement[] = [];
  for (const term of splitTerms(text)) {
    if (term === "") continue;
    const parts = splitTerm(term);
    if (!parts) throw new Error(`invalid selector: '${text}'; can't understand '${term}'`);
    const value = unescapeFieldValue(parts.value);
    // A term without field and value is what an empty selector prints as in old clients.
    if (parts.field === "" && value === "" && parts.operator === "=") continue;
    requirements.push({ field: parts.field, operator: parts.operator, value });
  }
  return FieldSelector.of(requirements);
}

/** Makes a value safe to stand in a selector's text. */
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
