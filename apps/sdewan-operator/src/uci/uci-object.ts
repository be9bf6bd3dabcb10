export type UciValue = string | boolean | null | readonly string[] | readonly UciObject[];

/** An object of the CNF's REST API. `""` and `null` mean the same as an absent key. */
export interface UciObject {
  readonly [field: string]: UciValue;
}

/** The named text fields of a spec, trimmed as the CNF trims them, `""` where it has none: requests always carry every key. */
export function texts(spec: object, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, textOf((spec as Record<string, unknown>)[name])]));
}

const textOf = (value: unknown): string => (value === undefined || value === null ? "" : String(value).trim());

/** A list as requests carry it: `null` where the spec has none. */
export const listOrNull = (values: readonly string[] | undefined): readonly string[] | null => values ?? null;
