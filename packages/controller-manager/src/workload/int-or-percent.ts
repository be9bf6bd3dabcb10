/** Maximum percentage. Like upstream, percentages must fit into 32 bits. */
const maxPercent = 2 ** 31 - 1;

/**
 * Converts a value to an absolute number: returns a number unchanged, and a percentage such as `25%` as a share of
 * `total`. Returns 0 for anything else; this cannot occur, because the API server has already validated the value.
 */
export function scaledValue(value: string | number | undefined, total: number, rounding: "up" | "down"): number {
  if (typeof value === "number") return value;
  const percent = value?.endsWith("%") ? Number.parseInt(value, 10) : Number.NaN;
  if (Number.isNaN(percent) || percent > maxPercent) return 0;
  const exact = (percent * total) / 100;
  return rounding === "up" ? Math.ceil(exact) : Math.floor(exact);
}
