/** Matches all JSON texts that may contain a number beyond the range of float64. */
const mayBeHuge = /\d[eE]\+?\d{2}|\d{290}/;
const longestNumber = 40;

/**
 * Describes the first number in a JSON text that is beyond the range of float64, such as `expected float64, got 1e400`. Returns `undefined`
 * if there is none.
 *
 * @param value result of parsing the text
 */
export function hugeNumber(text: string, value: unknown): string | undefined {
  if (!mayBeHuge.test(text) || !hasHugeNumber(value)) return undefined;
  let first = "";
  JSON.parse(text, (_name, member: unknown, context?: { readonly source?: string }) => {
    if (first === "" && isHuge(member)) first = context?.source ?? String(member);
    return member;
  });
  return `expected float64, got ${first.slice(0, longestNumber)}`;
}

/**
 * Reports whether a value contains infinity or a `bigint` beyond the range of float64. The value must not be nested too
 * deeply.
 */
export function hasHugeNumber(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return isHuge(value);
  if (Array.isArray(value)) return value.some(hasHugeNumber);
  for (const name in value) if (hasHugeNumber((value as Readonly<Record<string, unknown>>)[name])) return true;
  return false;
}

const isHuge = (value: unknown): boolean =>
  (typeof value === "number" || typeof value === "bigint") && !Number.isFinite(Number(value));
