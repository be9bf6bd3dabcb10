const decimal = /^[1-9]\d*$/;

/**
 * Compares two versions of one resource. Returns a negative number, zero or a positive number (positive if `a` is newer), or `undefined` if
 * one of them is not a positive decimal number. Such versions can only be compared for equality.
 *
 * @see apimachinery util/resourceversion CompareResourceVersion
 */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (!decimal.test(a) || !decimal.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}
