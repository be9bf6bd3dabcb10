export type UciValue = string | boolean | null | readonly string[] | readonly UciObject[];

/** An object in the CNF's REST API. `""` and `null` are equivalent to an absent key. */
export interface UciObject {
  readonly [field: string]: UciValue;
}

/**
 * Returns the named text fields of a spec, trimmed as on the CNF. Absent fields are returned as `""`, because requests
 * always contain all keys.
 */
export function texts(spec: object, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, textOf((spec as Record<string, unknown>)[name])]));
}

const textOf = (value: unknown): string => (value === undefined || value === null ? "" : String(value).trim());

/** Returns a list for a request, or `null` if the spec does not contain the list. */
export const listOrNull = (values: readonly string[] | undefined): readonly string[] | null => values ?? null;
