const decimal = /^[1-9]\d*$/;

/**
 * Compares two versions of the same resource. Returns a positive number if `a` is newer, zero if both are equal, and a
 * negative number if `b` is newer. Returns `undefined` if one of them is not a positive decimal number; such versions
 * can only be compared for equality.
 *
 * @see apimachinery util/resourceversion CompareResourceVersion
 */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (!decimal.test(a) || !decimal.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}
