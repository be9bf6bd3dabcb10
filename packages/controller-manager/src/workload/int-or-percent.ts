/** Upstream rejects percentages beyond an int32 too. */
const mostPercent = 2 ** 31 - 1;

/** Returns a number, or `25%` of `total`. Anything else counts as 0, because the API server has validated it. */
export function scaledValue(value: string | number | undefined, total: number, rounding: "up" | "down"): number {
  if (typeof value === "number") return value;
  const percent = value?.endsWith("%") ? Number.parseInt(value, 10) : Number.NaN;
  if (Number.isNaN(percent) || percent > mostPercent) return 0;
  const exact = (percent * total) / 100;
  return rounding === "up" ? Math.ceil(exact) : Math.floor(exact);
}
